package experiment

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

var (
	shareForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*%$`)
	minForm   = regexp.MustCompile(`^min\(\s*([^,()]+?)\s*,\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*\)$`)
)

// value resolves what is written for a setting: a wrong unit is reported,
// underscores in numbers go, and a share of memory becomes megabytes. The
// node's text becomes the result. share says that it was a share.
func (b *builder) value(n *node, name string) (value string, share, ok bool) {
	if n.bad || n.kind != scalarKind {
		return "", false, false
	}
	if m := minForm.FindStringSubmatch(n.text); m != nil {
		return b.least(n, name, m[1], m[2])
	}
	if m := shareForm.FindStringSubmatch(n.text); m != nil {
		n.share = true
		bytes, ok := b.share(n, name, m[1])
		if ok && bytes > 0 {
			n.text = megabytes(bytes)
		}
		return n.text, true, ok
	}
	if n.share { // resolved before, for another arm
		return n.text, true, true
	}
	_, number, err := parseQuantity(n.text)
	var wrong *errUnit
	if errors.As(err, &wrong) && wrong.want != "" {
		n.bad = true
		b.r.errorf(n, "units are B, kB, MB, GB, TB and us, ms, s, min, h, d; upper and lower case matter", "%s: %s", name, wrong)
		return "", false, false
	}
	if number && err == nil {
		n.text = strings.ReplaceAll(n.text, "_", "")
	}
	if strings.ContainsAny(n.text, "\n") {
		n.bad = true
		b.r.errorf(n, "", "%s has a value of more than one line", name)
		return "", false, false
	}
	return n.text, false, true
}

// share returns the bytes that a percentage of the usable memory is, 0 when
// the memory is not known.
func (b *builder) share(n *node, name, percent string) (int64, bool) {
	p, err := strconv.ParseFloat(percent, 64)
	if err != nil || p <= 0 || p > 100 {
		n.bad = true
		b.r.errorf(n, "a share of memory is above 0% and at most 100%", "%s: %s%% of memory", name, percent)
		return 0, false
	}
	memory := b.o.MemoryBytes
	if limit := b.f.Experiment.Server.MemoryLimitBytes; limit > 0 && (memory <= 0 || limit < memory) {
		memory = limit
	}
	if memory <= 0 {
		return 0, true
	}
	return max(1<<20, int64(float64(memory)*p/100)), true
}

// least resolves min(SIZE, SHARE): the size as far as memory allows. A note
// says when it does not.
func (b *builder) least(n *node, name, sizeText, percent string) (string, bool, bool) {
	n.share = true
	want, err := parseSize(sizeText)
	if err != nil {
		n.bad = true
		b.r.errorf(n, "write min(2GB, 25%)", "%s: %s %s", name, clip(sizeText), err)
		return "", false, false
	}
	bytes, ok := b.share(n, name, percent)
	switch {
	case !ok || bytes == 0:
	case bytes < want:
		n.text = megabytes(bytes)
		b.r.warnf(n, "", "%s is %s: %s%% of the usable memory, instead of %s", name, n.text, percent, sizeText)
	default:
		n.text = sizeText
	}
	return n.text, true, ok
}

func megabytes(bytes int64) string { return fmt.Sprintf("%dMB", bytes>>20) }

// put sets a setting in a list, keeping the place of one that is there.
func put(list []pgassay.Setting, name, value string) []pgassay.Setting {
	for i := range list {
		if list[i].Name == name {
			list[i].Value = value
			return list
		}
	}
	return append(list, pgassay.Setting{Name: name, Value: value})
}

// putStorage is put for storage parameters.
func putStorage(list []pgassay.StorageSetting, s pgassay.StorageSetting) []pgassay.StorageSetting {
	for i := range list {
		if list[i].Table == s.Table && list[i].Name == s.Name {
			list[i].Value = s.Value
			return list
		}
	}
	return append(list, s)
}

// putVariable is put for variables.
func putVariable(list []pgassay.Variable, name, value string) []pgassay.Variable {
	for i := range list {
		if list[i].Name == name {
			list[i].Value = value
			return list
		}
	}
	return append(list, pgassay.Variable{Name: name, Value: value})
}

// lookup finds a variable's number.
func lookup(list []pgassay.Variable, name string) (float64, bool) {
	for _, v := range list {
		if v.Name == name {
			f, err := strconv.ParseFloat(strings.ReplaceAll(v.Value, "_", ""), 64)
			return f, err == nil
		}
	}
	return 0, false
}
