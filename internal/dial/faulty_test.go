package dial_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// faulty is a listener on the loopback that treats its clients badly. It counts
// them.
type faulty struct {
	port  string
	count atomic.Int32
	wg    sync.WaitGroup
}

// listen serves each connection with handle, which gets the connection's
// number from 1 and may keep it until the test ends.
func listen(t *testing.T, handle func(n int, c net.Conn)) *faulty {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{port: strconv.Itoa(l.Addr().(*net.TCPAddr).Port)}
	f.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n := int(f.count.Add(1))
			f.wg.Go(func() {
				defer c.Close()
				handle(n, c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		f.wg.Wait()
	})
	return f
}

// hang reads and never answers, until the client goes away.
func hang(_ int, c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// hangUp closes the connection after the first message.
func hangUp(_ int, c net.Conn) { _, _ = c.Read(make([]byte, 1024)) }

// refuse answers the start of a session with an error.
func refuse(c net.Conn, code, message string) {
	b := pgproto3.NewBackend(c, c)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: code, Message: message})
	_ = b.Flush()
}

// forward connects the client with a real server's socket.
func forward(c net.Conn, socket string) {
	s, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer s.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(s, c)
		s.Close()
	}()
	_, _ = io.Copy(c, s)
	c.Close()
	<-done
}

// shakeHands answers the request for TLS with a certificate that nobody signed.
func shakeHands(t *testing.T) func(int, net.Conn) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "db.example"}, DNSNames: []string{"db.example"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	return func(_ int, c net.Conn) {
		if _, err := io.ReadFull(c, make([]byte, 8)); err != nil {
			return
		}
		if _, err := c.Write([]byte("S")); err != nil {
			return
		}
		_ = tls.Server(c, conf).Handshake()
	}
}
