package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// pgconnSession leaves the protocol to pgconn.
type pgconnSession struct {
	conn     *pgconn.PgConn
	o        *Options
	prepared [][]bool // by statement and part
	scratch  []byte
	values   [][]byte
	offsets  []int
}

func openPgconn(conn *pgconn.PgConn, o *Options) (*pgconnSession, error) {
	s := &pgconnSession{conn: conn, o: o, prepared: make([][]bool, len(o.Statements))}
	for i, st := range o.Statements {
		s.prepared[i] = make([]bool, len(st.Parts))
	}
	return s, nil
}

func (s *pgconnSession) prepare(ctx context.Context, all []*Statement) error {
	for _, st := range all {
		for i := range st.Parts {
			var refused *pgconn.PgError
			_, err := s.conn.Prepare(ctx, st.Parts[i].Name, st.Parts[i].SQL, nil)
			if err != nil && (!errors.As(err, &refused) || s.conn.IsClosed()) {
				return fmt.Errorf("prepare statements: %w", err)
			}
			s.prepared[st.ID][i] = err == nil
		}
	}
	return nil
}

func (s *pgconnSession) roundTrip(st *Statement, c Client, r *Reply) error {
	err := s.run(st, c, r)
	var failed *pgconn.PgError
	if errors.As(err, &failed) && r.Code == "" {
		r.Code, r.Message = failed.Code, failed.Severity+": "+failed.Message
	}
	if r.Code == codeNoStatement {
		clear(s.prepared[st.ID])
	}
	r.Status = s.conn.TxStatus()
	switch {
	case !s.conn.IsClosed():
		return nil
	case r.Code != "":
		return fmt.Errorf("connection lost: %s (SQLSTATE %s)", r.Message, r.Code)
	}
	return fmt.Errorf("connection lost: %w", err)
}

// run sends the statement and reads all of its results.
func (s *pgconnSession) run(st *Statement, c Client, r *Reply) error {
	ctx := context.Background() // ended by interrupt
	if s.o.Protocol == Simple {
		s.scratch = appendText(s.scratch[:0], st, c)
		results := s.conn.Exec(ctx, string(s.scratch))
		for results.NextResult() {
			tag, err := results.ResultReader().Close()
			if err != nil {
				break // Close says so again
			}
			r.Rows += rowsWritten([]byte(tag.String()))
		}
		return results.Close()
	}
	for i := range st.Parts {
		p := &st.Parts[i]
		if s.o.Protocol == Prepared && !s.prepared[st.ID][i] {
			if _, err := s.conn.Prepare(ctx, p.Name, p.SQL, nil); err != nil {
				return err
			}
			s.prepared[st.ID][i] = true
		}
	}
	if len(st.Parts) == 1 {
		reader := s.start(st, c)
		tag, err := reader.Close()
		if err == nil {
			r.Rows += rowsWritten([]byte(tag.String()))
		}
		return err
	}
	return s.pipeline(st, c, r)
}

// start sends a statement of one part.
func (s *pgconnSession) start(st *Statement, c Client) *pgconn.ResultReader {
	values := s.params(st, 0, c)
	if s.o.Protocol == Prepared {
		return s.conn.ExecPrepared(context.Background(), st.Parts[0].Name, values, nil, nil)
	}
	return s.conn.ExecParams(context.Background(), st.Parts[0].SQL, values, nil, nil, nil)
}

// pipeline sends several parts with one Sync.
func (s *pgconnSession) pipeline(st *Statement, c Client, r *Reply) error {
	p := s.conn.StartPipeline(context.Background())
	for i := range st.Parts {
		if s.o.Protocol == Prepared {
			p.SendQueryPrepared(st.Parts[i].Name, s.params(st, i, c), nil, nil)
		} else {
			p.SendQueryParams(st.Parts[i].SQL, s.params(st, i, c), nil, nil, nil)
		}
	}
	if err := p.Sync(); err != nil {
		return err
	}
	var first error
	for {
		results, err := p.GetResults()
		if err != nil {
			first = err
			break
		}
		reader, ok := results.(*pgconn.ResultReader)
		if !ok {
			break // the Sync
		}
		tag, err := reader.Close()
		if err != nil {
			first = err
			break
		}
		r.Rows += rowsWritten([]byte(tag.String()))
	}
	if err := p.Close(); first == nil {
		first = err
	}
	return first
}

// params collects a part's values in one buffer.
func (s *pgconnSession) params(st *Statement, part int, c Client) [][]byte {
	s.scratch, s.values, s.offsets = s.scratch[:0], s.values[:0], s.offsets[:0]
	n := st.Parts[part].params()
	for i := range n {
		out, null := c.AppendParam(s.scratch, st.ID, part, i)
		s.scratch = out
		end := len(out)
		if null {
			end = -1
		}
		s.offsets = append(s.offsets, end)
	}
	from := 0
	for _, end := range s.offsets {
		if end < 0 {
			s.values = append(s.values, nil)
			continue
		}
		s.values = append(s.values, s.scratch[from:end:end])
		from = end
	}
	return s.values
}

func (s *pgconnSession) interrupt() {
	// The only error is that of a closed connection, which fails anyway.
	_ = s.conn.Conn().SetDeadline(time.Unix(1, 0))
}

func (s *pgconnSession) cancel(ctx context.Context) {
	_ = s.conn.CancelRequest(ctx) // a courtesy: the session ends anyway
}

func (s *pgconnSession) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // a broken connection has nothing to close
}
