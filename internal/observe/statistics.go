package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay/internal/dial"
)

// sample is one look at the statistics. A nil number or element could not be
// seen.
type sample struct {
	at               time.Time
	wal, workers     *float64
	dead, live, size []*float64
}

// statistics is the session that looks at the statistics. It belongs to one
// goroutine.
type statistics struct {
	target *dial.Target
	conn   *pgx.Conn // nil while there is none
	tables []uint32
	sql    string
}

const (
	lookTimeout      = 3 * time.Second
	connectTimeout   = 5 * time.Second
	reconnectTimeout = time.Second // a server that is away is asked again at the next look
)

// observerTarget is the target of the sampler's session. A look must never
// wait for long: a table's size needs a lock that DDL can hold.
func observerTarget(t *dial.Target, database string) *dial.Target {
	if database != "" {
		t = t.WithDatabase(database)
	}
	return t.WithOption("statement_timeout", "2s").WithOption("lock_timeout", "200ms").WithOption("jit", "off")
}

// connect opens the session.
func (s *statistics) connect(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := s.target.Connect(ctx, "observer")
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, freshSQL); err != nil {
		s.drop(conn)
		return fmt.Errorf("prepare the observer's session: %w", err)
	}
	s.conn = conn
	return nil
}

// prepare finds out which parts work here and which tables there are. It
// returns the tables' names and what is missing.
func (s *statistics) prepare(ctx context.Context, names []string) (objects, missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	rows, err := s.conn.Query(ctx, tablesSQL, names)
	if err != nil {
		return nil, nil, fmt.Errorf("list tables: %w", err)
	}
	var oid uint32
	var object string
	if _, err := pgx.ForEachRow(rows, []any{&oid, &object}, func() error {
		s.tables, objects = append(s.tables, oid), append(objects, object)
		return nil
	}); err != nil {
		return nil, nil, fmt.Errorf("list tables: %w", err)
	}
	if s.tables == nil {
		s.tables = []uint32{}
	}
	works := make([]bool, len(parts))
	for i, p := range parts {
		why, err := s.try(ctx, p)
		if err != nil {
			return nil, nil, fmt.Errorf("try to read %s: %w", p.name, err)
		}
		if works[i] = why == ""; why != "" {
			missing = append(missing, p.name+": "+why)
		}
	}
	s.sql = statement(works)
	return objects, missing, nil
}

// try says why a part cannot be read here, "" when it can. The error is for a
// session that is broken.
func (s *statistics) try(ctx context.Context, p part) (why string, err error) {
	if p.need != "" {
		var has bool
		err := s.conn.QueryRow(ctx, `SELECT `+p.need).Scan(&has)
		if why, err := refusal(err); why != "" || err != nil {
			return why, err
		}
		if !has {
			return "the role is no member of " + p.needName, nil
		}
	}
	var args []any
	if p.array {
		args = []any{s.tables}
	}
	_, err = s.conn.Exec(ctx, `SELECT `+p.sql(), args...)
	return refusal(err)
}

// refusal turns a server's error into a reason; other errors stay errors.
func refusal(err error) (why string, _ error) {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.SeverityUnlocalized == "ERROR" {
		return dial.Redact(pgErr.Message), nil
	}
	return "", err
}

// look sends the statement. A session that is lost is dropped, so that the
// next look connects again.
func (s *statistics) look(ctx context.Context) (sample, error) {
	if s.conn == nil {
		if err := s.connect(ctx, reconnectTimeout); err != nil {
			return sample{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	var m sample
	var n *int
	sent := time.Now()
	err := s.conn.QueryRow(ctx, s.sql, s.tables).Scan(&m.wal, &m.workers, &m.dead, &m.live, &m.size, &n)
	m.at = sent.Add(time.Since(sent) / 2)
	if err != nil {
		if s.conn.IsClosed() {
			s.conn = nil
		}
		return sample{}, fmt.Errorf("read statistics: %w", err)
	}
	return m, nil
}

// pid is the server process of the session, 0 for none.
func (s *statistics) pid() int {
	if s.conn == nil {
		return 0
	}
	return int(s.conn.PgConn().PID())
}

func (s *statistics) close() {
	if s.conn != nil {
		s.drop(s.conn)
		s.conn = nil
	}
}

// drop closes a connection; a server that hangs does not hold us up.
func (s *statistics) drop(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it was to go anyway
}
