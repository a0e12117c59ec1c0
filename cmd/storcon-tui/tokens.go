package main

import (
	"context"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// newTokenSource is nil when no token is configured.
func newTokenSource(t config.Token) client.TokenSource {
	switch {
	case t.File != "":
		return client.FileToken(t.File)
	case t.Env != "":
		return client.EnvToken(t.Env)
	case len(t.Command) > 0:
		return client.CommandToken(t.Command)
	case t.Signed.KeyFile != "":
		return client.SignedToken(t.Signed.KeyFile, t.Signed.Claims)
	}
	return nil
}

func (c *connection) tokenSource(t config.Token) client.TokenSource {
	source := newTokenSource(t)
	if source == nil {
		return nil
	}
	return knownSecret{TokenSource: source, secrets: c.secrets}
}

// knownSecret tells every token that it hands out to the redactor, so that none
// reaches a log, a journal or the output of a restart command.
type knownSecret struct {
	client.TokenSource
	secrets *journal.Redactor
}

func (k knownSecret) Token(ctx context.Context) (string, error) {
	token, err := k.TokenSource.Token(ctx)
	if token != "" {
		k.secrets.Add(token)
	}
	return token, err
}

// secretVariables are the environment variables that hold secrets: no command
// that this program runs inherits them.
func secretVariables(s config.Settings) []string {
	secrets := []config.Token{s.Cluster.Token}
	for _, one := range s.Cluster.Computes {
		secrets = append(secrets, one.Token, config.Token{Env: one.Connection.Env})
	}
	if a := s.Cluster.Alerts; a != nil {
		secrets = append(secrets, a.Token)
	}
	for _, hook := range s.Notify.Webhooks {
		secrets = append(secrets, hook.URL)
	}
	var names []string
	for _, t := range secrets {
		if t.Env != "" {
			names = append(names, t.Env)
		}
	}
	return names
}
