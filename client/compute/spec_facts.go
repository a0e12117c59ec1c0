package compute

import "strings"

// Tenant is the id of the tenant whose data s is for: of the field, or else of the
// setting (contract B.11); "" where neither names one.
func (s Spec) Tenant() string {
	if id, ok := s.members()["tenant_id"].(string); ok && id != "" {
		return strings.ToLower(id)
	}
	id, _, _ := setting(s.members(), "neon.tenant_id")
	return strings.ToLower(id)
}

// Primary reports a compute that writes.
func (s Spec) Primary() bool {
	mode, given := s.members()["mode"]
	return !given || mode == nil || mode == "Primary"
}
