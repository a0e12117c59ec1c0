package compute

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// restartOnly are the settings that Postgres 14 to 17 and Neon's extension take at
// their start only. A compute takes a spec that changes one, and it has no effect
// (contract B.13).
var restartOnly = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`
		archive_mode autovacuum_freeze_max_age autovacuum_max_workers autovacuum_multixact_freeze_max_age bonjour
		bonjour_name cluster_name commit_timestamp_buffers config_file data_directory data_sync_retry debug_io_direct
		dynamic_shared_memory_type event_source external_pid_file hba_file hot_standby huge_page_size huge_pages
		ident_file jit_provider listen_addresses logging_collector max_connections max_files_per_process
		max_locks_per_transaction max_logical_replication_workers max_notify_queue_pages
		max_pred_locks_per_transaction max_prepared_transactions max_replication_slots max_wal_senders
		max_worker_processes min_dynamic_shared_memory multixact_member_buffers multixact_offset_buffers
		notify_buffers old_snapshot_threshold port recovery_target recovery_target_action recovery_target_inclusive
		recovery_target_lsn recovery_target_name recovery_target_time recovery_target_timeline recovery_target_xid
		reserved_connections serializable_buffers shared_buffers shared_memory_type shared_preload_libraries
		subtransaction_buffers superuser_reserved_connections track_activity_query_size track_commit_timestamp
		transaction_buffers unix_socket_directories unix_socket_group unix_socket_permissions wal_buffers
		wal_decode_buffer_size wal_level wal_log_hints
		neon.file_cache_path neon.max_file_cache_size neon.tenant_id neon.timeline_id pg_stat_statements.max`) {
		names[name] = true
	}
	return names
}()

// RestartNeeded names the settings among changes that need a restart of Postgres, which
// a reconfigure does not do, in the order of their names. It knows Postgres's own and
// Neon's; other extensions may have more.
func RestartNeeded(changes []Change) []string {
	found := map[string]bool{}
	for _, c := range changes {
		before, after := settingsOf(c.Path, c.Old), settingsOf(c.Path, c.New)
		for name := range restartOnly {
			if before[name] != after[name] {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// settingPath is the path of one setting, or of its value.
var settingPath = regexp.MustCompile(`^cluster\.settings\[([^\]]*)\](?:\.value)?$`)

// settingsOf are the settings that one side of a change gives, with some spelling of
// their values.
func settingsOf(path, said string) map[string]string {
	var value any
	if json.Unmarshal([]byte(said), &value) != nil {
		return nil // that side has none
	}
	if match := settingPath.FindStringSubmatch(path); match != nil {
		if entry, ok := value.(map[string]any); ok && entryName(entry) != "" {
			return settingEntries([]any{entry})
		}
		return map[string]string{strings.ToLower(match[1]): said}
	}
	switch path {
	case "cluster.postgresql_conf":
		return configSettings(value)
	case "cluster.settings":
		return settingEntries(value)
	case "cluster":
		cluster, _ := value.(map[string]any)
		out := configSettings(cluster["postgresql_conf"])
		maps.Copy(out, settingEntries(cluster["settings"]))
		return out
	}
	return nil
}

func settingEntries(value any) map[string]string {
	out := map[string]string{}
	list, _ := value.([]any)
	for _, entry := range list {
		object, _ := entry.(map[string]any)
		said, _ := object["value"].(string)
		out[strings.ToLower(entryName(entry))] = "=" + said
	}
	return out
}

// configLine is one setting in a configuration file of Postgres.
var configLine = regexp.MustCompile(`(?m)^[ \t]*([A-Za-z_][\w.$]*)[ \t]*(?:=|[ \t])[ \t]*(.*?)[ \t\r]*$`)

func configSettings(value any) map[string]string {
	out := map[string]string{}
	said, _ := value.(string)
	for _, match := range configLine.FindAllStringSubmatch(said, -1) {
		out[strings.ToLower(match[1])] = "=" + match[2] // the last one counts
	}
	return out
}
