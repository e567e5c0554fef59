package report

import (
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/analyze"
)

// compose makes the whole document: question, answer, evidence, limits.
func compose(r *analyze.Result) *document {
	v := newView(r)
	d := &document{Title: oneLine(v.e.Question), Byline: v.byline()}
	if d.Title == "" {
		d.Title = oneLine(v.e.Name)
	}
	for _, s := range []section{
		v.answer(), v.compared(), v.verdicts(), v.factors(), v.charts(), v.slices(), v.metrics(), v.checks(),
		v.limits(), v.reproduce(), v.settings(), v.host(), v.trials(),
	} {
		if len(s.Blocks) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
	return d
}

// byline says which run this is.
func (v *view) byline() []string {
	name := oneLine(v.e.Name)
	if v.e.Profile != "" {
		name += ", profile " + oneLine(v.e.Profile)
	}
	out := []string{"Experiment " + name}
	if !v.Run.Started.IsZero() {
		when := v.Run.Started.UTC().Format("2006-01-02 15:04") + " UTC"
		if v.Run.Ended.After(v.Run.Started) {
			when += ", " + duration(v.Run.Ended.Sub(v.Run.Started))
		}
		out = append(out, when)
	}
	if p := v.versions(); p != "" {
		out = append(out, "PostgreSQL "+p)
	}
	valid := 0
	for _, t := range v.Trials {
		if t.Outcome == pgassay.OutcomeValid {
			valid++
		}
	}
	if len(v.Trials) > 0 {
		out = append(out, decimals(float64(valid), 0)+" valid of "+plural(len(v.Trials), "trial"))
	}
	if v.Run.ID != "" {
		out = append(out, "run "+oneLine(v.Run.ID))
	}
	return out
}

func (v *view) versions() string {
	var list []string
	seen := map[string]bool{}
	for _, b := range v.Fingerprint.Builds {
		if b.Version != "" && !seen[b.Version] {
			seen[b.Version] = true
			list = append(list, b.Version)
		}
	}
	return strings.Join(list, ", ")
}

// verdictWord is a verdict as the tables and charts write it.
func verdictWord(v pgassay.Verdict) string {
	if v == pgassay.Inconclusive {
		return "~"
	}
	return string(v)
}

// badgeText is the verdict in words that stand alone.
var badgeText = map[pgassay.Verdict]string{
	pgassay.Improved: "improved", pgassay.Regressed: "regressed", pgassay.Equivalent: "no difference",
	pgassay.Inconclusive: "cannot tell", pgassay.Invalid: "could not have answered",
}

// sentence begins text with a capital letter, unless its first word is a name
// that is written otherwise.
func sentence(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz,") != "" || word == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// lower puts a title into a sentence; abbreviations stay.
func lower(s string) string {
	if len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):]
}
