package postgres

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEquals(t *testing.T) {
	for _, c := range []struct {
		have Setting
		want string
		is   bool
	}{
		{Setting{Value: "64MB", Raw: "65536", Unit: "kB"}, "64MB", true},
		{Setting{Value: "64MB", Raw: "65536", Unit: "kB"}, "65536", true},
		{Setting{Value: "64MB", Raw: "65536", Unit: "kB"}, "0.0625GB", true},
		{Setting{Value: "64MB", Raw: "65536", Unit: "kB"}, "64kB", false},
		{Setting{Value: "128MB", Raw: "16384", Unit: "8kB"}, "131072kB", true},
		{Setting{Value: "128MB", Raw: "16384", Unit: "8kB"}, "16384", true},
		{Setting{Value: "on", Raw: "on"}, "true", true},
		{Setting{Value: "on", Raw: "on"}, "off", false},
		{Setting{Value: "1min", Raw: "60000", Unit: "ms"}, "60s", true},
		{Setting{Value: "1.1", Raw: "1.1"}, "1.10", true},
		{Setting{Value: "100", Raw: "100"}, "200", false},
		{Setting{Value: "1", Raw: "1"}, "1", true},
		{Setting{Value: "neon", Raw: "neon"}, "neon", true},
		{Setting{Value: "neon", Raw: "neon"}, "other", false},
		{Setting{Value: "-1", Raw: "-1", Unit: "ms"}, "-1", true},
	} {
		if got := c.have.Equals(c.want); got != c.is {
			t.Errorf("%+v is %s: %t", c.have, c.want, got)
		}
	}
}

// server speaks as much of Postgres's protocol as one question needs.
func server(t *testing.T, answer func(*pgproto3.Backend, *pgproto3.Query)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serve(conn, answer)
		}
	}()
	return l.Addr().String()
}

func serve(conn net.Conn, answer func(*pgproto3.Backend, *pgproto3.Query)) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	b := pgproto3.NewBackend(conn, conn)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	for name, value := range map[string]string{"standard_conforming_strings": "on", "client_encoding": "UTF8"} {
		b.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if b.Flush() != nil {
		return
	}
	for {
		m, err := b.Receive()
		if err != nil {
			return
		}
		q, ok := m.(*pgproto3.Query)
		if !ok {
			return
		}
		answer(b, q)
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if b.Flush() != nil {
			return
		}
	}
}

func TestSettings(t *testing.T) {
	var asked string
	addr := server(t, func(b *pgproto3.Backend, q *pgproto3.Query) {
		asked = q.String
		var fields []pgproto3.FieldDescription
		for i, name := range []string{"name", "current_setting", "setting", "unit", "pending_restart"} {
			oid := uint32(25) // text
			if i == 4 {
				oid = 16 // bool
			}
			fields = append(fields, pgproto3.FieldDescription{Name: []byte(name), DataTypeOID: oid, DataTypeSize: -1})
		}
		b.Send(&pgproto3.RowDescription{Fields: fields})
		row := func(cells ...string) {
			r := &pgproto3.DataRow{}
			for _, c := range cells {
				r.Values = append(r.Values, []byte(c))
			}
			b.Send(r)
		}
		row("work_mem", "64MB", "65536", "kB", "f")
		row("max_connections", "100", "100", "", "t")
		b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 2")})
	})
	got, err := Settings(t.Context(), "postgres://ann:hunter2@"+addr+"/app?sslmode=disable", []string{"work_mem", "it's", "max_connections"})
	if err != nil {
		t.Fatal(err)
	}
	if got["work_mem"] != (Setting{Value: "64MB", Raw: "65536", Unit: "kB"}) || !got["max_connections"].Restart || len(got) != 2 {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(asked, "it''s") {
		t.Errorf("names are not quoted: %s", asked)
	}
}

func TestNoErrorHasTheConnectionString(t *testing.T) {
	addr := server(t, func(b *pgproto3.Backend, _ *pgproto3.Query) {
		b.Send(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "42501", Message: "no, hunter2\x1b[2J"})
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	for _, connection := range []string{
		"postgres://ann:hunter2@" + addr + "/app?sslmode=disable",
		"postgres://ann:hunter2@" + closed + "/app?sslmode=disable",
		"postgres://ann:hunter2@[::bad/app", "host=x password='hunter2", "password=hunter2 nonsense",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := Settings(ctx, connection, []string{"a"})
		cancel()
		if err == nil {
			t.Fatalf("%s: no error", connection)
		}
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err)} {
			if strings.Contains(text, "hunter2") || strings.Contains(text, "\x1b") {
				t.Errorf("the error shows a secret or moves the cursor: %q", text)
			}
		}
	}
}
