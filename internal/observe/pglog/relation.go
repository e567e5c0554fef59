package pglog

import "strings"

// Relation is a table as a message names it: database, schema and table joined
// by dots, without quoting. Any of the three may itself hold dots, quotes and
// line breaks.
type Relation string

// Split cuts the database off. A name that starts with one of the known
// databases is cut there (the longest wins); otherwise the database ends at the
// first dot. object is schema.table, joined in the same way as everywhere in
// pgassay (without quoting), so that it can be compared.
func (r Relation) Split(known ...string) (database, object string) {
	best, ok := "", false
	for _, db := range known {
		if db != "" && len(db) > len(best) && strings.HasPrefix(string(r), db+".") {
			best, ok = db, true
		}
	}
	if ok {
		return best, string(r[len(best)+1:])
	}
	database, object, ok = strings.Cut(string(r), ".")
	if !ok {
		return "", string(r)
	}
	return database, object
}

// objectIn is the event object of a table: schema.table within the database
// that is watched ("" for any), the whole name for a table of another one, so
// that nobody takes it for the table of the same name here.
func (r Relation) objectIn(watched string) string {
	database, object := r.Split(watched)
	if watched != "" && database != watched {
		return string(r)
	}
	return object
}
