package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// netSession speaks the protocol itself on the connection that pgconn opened
// and authenticated (also a TLS one).
type netSession struct {
	hijacked *pgconn.HijackedConn
	o        *Options
	in       reader
	out      []byte
	prepared [][]bool // by statement and part
}

func openNet(conn *pgconn.PgConn, o *Options) (*netSession, error) {
	h, err := conn.Hijack()
	if err != nil {
		return nil, fmt.Errorf("take over connection: %w", err)
	}
	s := &netSession{hijacked: h, o: o, in: reader{buf: make([]byte, readerSize)}, out: make([]byte, 0, 512)}
	s.prepared = make([][]bool, len(o.Statements))
	for i, st := range o.Statements {
		s.prepared[i] = make([]bool, len(st.Parts))
	}
	return s, nil
}

// prepare sends a Parse and a Sync per part in one write, so that one that
// fails does not stop the others.
func (s *netSession) prepare(ctx context.Context, all []*Statement) error {
	stop := context.AfterFunc(ctx, s.interrupt)
	defer stop()
	out := s.out[:0]
	for _, st := range all {
		for i := range st.Parts {
			out = appendParse(out, st.Parts[i].Name, st.Parts[i].SQL)
			out = append(out, 'S', 0, 0, 0, 4)
		}
	}
	if _, err := s.hijacked.Conn.Write(out); err != nil {
		return fmt.Errorf("prepare statements: %w", err)
	}
	for _, st := range all {
		for i := range st.Parts {
			var r Reply
			if _, err := s.read(&r); err != nil {
				return fmt.Errorf("prepare statements: %w", err)
			}
			s.prepared[st.ID][i] = r.Code == ""
		}
	}
	return nil
}

func (s *netSession) roundTrip(st *Statement, c Client, r *Reply) error {
	s.out = appendRequest(s.out[:0], s.o.Protocol, st, c, s.prepared[st.ID])
	if _, err := s.hijacked.Conn.Write(s.out); err != nil {
		return fmt.Errorf("send statement: %w", err)
	}
	parsed, err := s.read(r)
	s.learn(st, parsed, r)
	return err
}

// learn notes which parts of a statement are prepared after a round trip in
// which the server confirmed so many of them. They stay so whatever becomes of
// the transaction.
func (s *netSession) learn(st *Statement, parsed int, r *Reply) {
	done := s.prepared[st.ID]
	for i := range done {
		if !done[i] && parsed > 0 {
			done[i] = true
			parsed--
		}
	}
	if r.Code == codeNoStatement { // the script has thrown them away (DISCARD ALL)
		clear(done)
	}
}

// codeNoStatement is invalid_sql_statement_name.
const codeNoStatement = "26000"

// read reads to the end of a round trip and returns the number of statements
// that the server has prepared in it.
func (s *netSession) read(r *Reply) (parsed int, err error) {
	var o outcome
	for {
		if err := s.in.scan(&o, r); err != nil {
			return o.parsed, err
		}
		switch {
		case o.ready:
			return o.parsed, nil
		case o.copyIn:
			return o.parsed, errCopyIn
		}
		if err := s.in.fill(s.hijacked.Conn); err != nil {
			return o.parsed, lostTo(err, r)
		}
	}
}

// lostTo is the error of a connection that broke, in the server's words when it
// said why.
func lostTo(err error, r *Reply) error {
	if r.Code != "" {
		return fmt.Errorf("connection lost: %s (SQLSTATE %s)", r.Message, r.Code)
	}
	return fmt.Errorf("connection lost: %w", err)
}

// terminate is the message that ends a session.
var terminate = []byte{'X', 0, 0, 0, 4}

// errCopyIn ends the session: a script has no data to send.
var errCopyIn = errors.New("COPY FROM STDIN needs data, which a script does not have")

// interrupt lets reads and writes fail at once.
func (s *netSession) interrupt() {
	// The only error is that of a closed connection, which fails anyway.
	_ = s.hijacked.Conn.SetDeadline(time.Unix(1, 0))
}

func (s *netSession) cancel(ctx context.Context) {
	again, err := pgconn.Construct(s.hijacked)
	if err != nil {
		return
	}
	_ = again.CancelRequest(ctx) // a courtesy: the session ends anyway
}

func (s *netSession) close() {
	// A connection that is broken already cannot take it.
	_ = s.hijacked.Conn.SetDeadline(time.Now().Add(time.Second))
	_, _ = s.hijacked.Conn.Write(terminate)
	_ = s.hijacked.Conn.Close()
}
