package wire_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/load/wire"
)

// TestEncrypted: epoll refuses encrypted connections; net, and what is chosen
// when no engine is named, works on them.
func TestEncrypted(t *testing.T) {
	in := labtest.Server(t, labtest.Options{})
	address := encrypt(t, filepath.Join(in.SocketDir, ".s.PGSQL.5432"))
	all := []*wire.Statement{statement(0, "SELECT 1")}
	o := options(in, wire.Prepared, all)
	o.Connect = func(ctx context.Context) (*pgconn.PgConn, error) {
		c, err := pgconn.ParseConfig("postgres://" + labtest.Superuser + "@" + address + "/postgres?sslmode=require")
		if err != nil {
			return nil, err
		}
		return pgconn.ConnectConfig(ctx, c)
	}
	for _, engine := range []string{"", "net"} {
		p := &player{send: []*wire.Statement{all[0], all[0]}}
		run(t, engine, o, p, &player{send: p.send})
		if diff := cmp.Diff([]string{"I rows=0", "I rows=0"}, p.got); diff != "" {
			t.Errorf("engine %q (-want +got):\n%s", engine, diff)
		}
	}
	if !slices.Contains(wire.Names, "epoll") {
		return
	}
	e, err := wire.New("epoll", o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Open(t.Context(), 2); !errors.Is(err, wire.ErrNoSocket) {
		t.Errorf("epoll: got %v, want %v", err, wire.ErrNoSocket)
	}
	e.Close()
}

// encrypt offers TLS in front of a server's Unix socket.
func encrypt(t *testing.T, socket string) (address string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { forward(conn, config, socket) })
		}
	})
	return l.Addr().String()
}

// forward serves one connection until either side ends it.
func forward(conn net.Conn, config *tls.Config, socket string) {
	defer conn.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer server.Close()
	head := make([]byte, 8) // the request for TLS, or the head of one for a cancel
	if _, err := io.ReadFull(conn, head); err != nil {
		return
	}
	if _, err := conn.Write([]byte("S")); err != nil {
		return
	}
	client := tls.Server(conn, config)
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(server, client) // ends when either side does
		server.Close()
	})
	both.Go(func() {
		_, _ = io.Copy(client, server)
		conn.Close()
	})
	both.Wait()
}
