package client

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

func writeKey(t *testing.T, path string, key crypto.PrivateKey) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
}

func TestSignedToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth_private_key.pem")
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	writeKey(t, path, private)
	source := SignedToken(path, map[string]any{"compute_id": "main", "scope": nil, "aud": nil})
	require.Equal(t, "key "+path, source.Describe())
	token, err := source.Token(t.Context())
	require.NoError(t, err)

	verified := func(token string, key ed25519.PublicKey) jwt.MapClaims {
		claims := jwt.MapClaims{}
		parsed, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return key, nil }, jwt.WithValidMethods([]string{"EdDSA"}))
		require.NoError(t, err)
		require.Equal(t, map[string]any{"alg": "EdDSA", "typ": "JWT"}, parsed.Header)
		return claims
	}
	require.Equal(t, jwt.MapClaims{"compute_id": "main", "scope": nil, "aud": nil}, verified(token, public))
	again, err := source.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, token, again)

	other, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	writeKey(t, path, private) // neon_local init has made the directory anew
	changed, err := source.Refresh(t.Context())
	require.NoError(t, err)
	require.True(t, changed)
	token, err = source.Token(t.Context())
	require.NoError(t, err)
	verified(token, other)
}

func TestKeyThatSignsNothing(t *testing.T) {
	dir := t.TempDir()
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ec, text, broken := filepath.Join(dir, "ec"), filepath.Join(dir, "text"), filepath.Join(dir, "broken")
	writeKey(t, ec, curve)
	require.NoError(t, os.WriteFile(text, []byte("marked-secret"), 0o600))
	require.NoError(t, os.WriteFile(broken, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("marked-secret")}), 0o600))
	for _, path := range []string{ec, text, broken} {
		_, err := SignedToken(path, nil).Token(t.Context())
		require.EqualError(t, err, "expected an Ed25519 private key, PKCS#8 in PEM form", path)
	}
	_, err = SignedToken(filepath.Join(dir, "no"), nil).Token(t.Context())
	require.EqualError(t, err, "no such file or directory")
}
