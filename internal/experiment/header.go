package experiment

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pgassay/pgassay"
)

// header is what the comment at the top of a script declares, one "-- key:
// value" a line:
//
//	-- description: a batch of new events in one transaction
//	-- dataset: events
//	-- variable: batch = 10
//	-- shape: events inserts=:batch updates=0 deletes=0 hot=0
//
// A shape line says how many rows of a table one run of the script touches;
// each number may be a formula over variables. initial=1 says that the rows to
// update and delete are picked at random from those that were there at the
// start. Other comments are ignored.
type header struct {
	description string
	dataset     string
	variables   []pgassay.Variable
	shapes      []shapeLine
}

type shapeLine struct {
	table  string
	values map[string]string // inserts, updates, deletes, hot, initial → formula
}

var headerLine = regexp.MustCompile(`^--\s*(description|dataset|variable|shape):\s*(.*?)\s*$`)

// parseHeader reads the comment lines at the top of a script.
func parseHeader(text string) (header, error) {
	var h header
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "--") {
			break
		}
		m := headerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		var err error
		switch m[1] {
		case "description":
			h.description = m[2]
		case "dataset":
			h.dataset = m[2]
		case "variable":
			err = h.addVariable(m[2])
		case "shape":
			err = h.addShape(m[2])
		}
		if err != nil {
			return h, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return h, nil
}

var variableForm = regexp.MustCompile("^(" + variableName + `)\s*=\s*(\S+)$`)

func (h *header) addVariable(text string) error {
	m := variableForm.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("want variable: name = value, got %q", text)
	}
	h.variables = append(h.variables, pgassay.Variable{Name: m[1], Value: m[2]})
	return nil
}

func (h *header) addShape(text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return fmt.Errorf("shape without a table")
	}
	s := shapeLine{table: words[0], values: map[string]string{}}
	for _, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		switch key {
		case "inserts", "updates", "deletes", "hot", "initial":
		default:
			ok = false
		}
		if !ok || value == "" {
			return fmt.Errorf("want shape: table inserts= updates= deletes= hot= initial=, got %q", word)
		}
		s.values[key] = value
	}
	h.shapes = append(h.shapes, s)
	return nil
}

// shape evaluates the shape lines; nil when the script declares none.
func (h *header) shape(value func(name string) (float64, bool)) ([]pgassay.TableShape, error) {
	var out []pgassay.TableShape
	for _, line := range h.shapes {
		s, initial := pgassay.TableShape{Table: line.table}, 0.0
		for key, into := range map[string]*float64{"inserts": &s.Inserts, "updates": &s.Updates, "deletes": &s.Deletes, "hot": &s.HOT, "initial": &initial} {
			text, given := line.values[key]
			if !given {
				continue
			}
			v, err := formula(text, value)
			if err != nil {
				return nil, err
			}
			*into = v
		}
		s.Initial = initial > 0
		out = append(out, s)
	}
	return out, nil
}

// uses says whether a shape depends on a variable.
func (h *header) uses(name string) bool {
	for _, line := range h.shapes {
		for _, text := range line.values {
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == '*' || r == '+' }) {
				if strings.TrimPrefix(strings.TrimSpace(word), ":") == name {
					return true
				}
			}
		}
	}
	return false
}
