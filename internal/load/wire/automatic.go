package wire

import (
	"context"
	"errors"
)

// ErrNoSocket is the error of an engine that needs the bare socket of a
// connection which has none: it is encrypted.
var ErrNoSocket = errors.New("the connection is encrypted, and this engine needs a bare socket")

// automatic is the preferred engine, or net when the connections turn out not
// to be fit for it.
type automatic struct {
	Engine

	o Options
}

func (a *automatic) Open(ctx context.Context, n int) error {
	err := a.Engine.Open(ctx, n)
	if !errors.Is(err, ErrNoSocket) {
		return err
	}
	a.Engine = newGoroutines("net", a.o, openNet)
	return a.Engine.Open(ctx, n)
}
