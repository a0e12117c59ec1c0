package client

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"

	"github.com/golang-jwt/jwt/v5"
)

// SignedToken signs a token with an Ed25519 private key (PKCS#8 in PEM form), where the
// key is kept and no token, as neon_local does. The token does not expire; it is
// signed anew when the key's file has changed.
func SignedToken(keyFile string, claims map[string]any) TokenSource {
	return newRereadToken("key "+keyFile,
		func(context.Context) (string, error) { return sign(keyFile, claims) },
		func() string { return fileStamp(keyFile) })
}

func sign(keyFile string, claims map[string]any) (string, error) {
	text, err := readTokenFile(keyFile)
	if err != nil {
		return "", err
	}
	wanted := errors.New("expected an Ed25519 private key, PKCS#8 in PEM form")
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return "", wanted
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", wanted // its own words may quote the key
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return "", wanted
	}
	return jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims(claims)).SignedString(private)
}
