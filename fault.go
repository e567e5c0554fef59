package pgassay

import "errors"

// HintError is an error with advice for the person at the rim: what to do
// next, in one or two sentences.
type HintError struct {
	Err  error
	Hint string
}

// Error returns the error's text without the hint.
func (e *HintError) Error() string { return e.Err.Error() }

// Unwrap returns the error that the hint belongs to.
func (e *HintError) Unwrap() error { return e.Err }

// WithHint adds advice to err; it returns nil for nil.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &HintError{Err: err, Hint: hint}
}

// Hint returns the outermost advice in err's chain, "" for none.
func Hint(err error) string {
	var h *HintError
	if errors.As(err, &h) {
		return h.Hint
	}
	return ""
}

// ErrRefused says that pgassay will not do something to somebody's server
// without being told to. The command's exit code is 4.
var ErrRefused = errors.New("refused")

// ErrUsage says that the request itself is wrong: flags, an experiment file, a
// script. The command's exit code is 2.
var ErrUsage = errors.New("usage")

// ErrConnect says that a server cannot be reached or does not let us in. The
// command's exit code is 4.
var ErrConnect = errors.New("cannot connect")
