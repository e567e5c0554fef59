package experiment

import (
	"slices"
	"strings"
)

// storageParameters are the storage parameters of tables in PostgreSQL 14 to
// 19 (reloptions.c). Whether this server's version has one, and its range, is
// found out by trying (Knowledge.TryStorage).
var storageParameters = []string{
	"fillfactor", "toast_tuple_target", "parallel_workers", "user_catalog_table", "vacuum_index_cleanup", "vacuum_truncate",
	"vacuum_max_eager_freeze_failure_rate", "autovacuum_enabled", "autovacuum_parallel_workers",
	"autovacuum_vacuum_threshold", "autovacuum_vacuum_max_threshold", "autovacuum_vacuum_scale_factor",
	"autovacuum_vacuum_insert_threshold", "autovacuum_vacuum_insert_scale_factor",
	"autovacuum_analyze_threshold", "autovacuum_analyze_scale_factor",
	"autovacuum_vacuum_cost_delay", "autovacuum_vacuum_cost_limit",
	"autovacuum_freeze_min_age", "autovacuum_freeze_max_age", "autovacuum_freeze_table_age",
	"autovacuum_multixact_freeze_min_age", "autovacuum_multixact_freeze_max_age", "autovacuum_multixact_freeze_table_age",
	"log_autovacuum_min_duration", "log_autoanalyze_min_duration",
}

// notForToast are those that a TOAST table does not have.
var notForToast = []string{
	"fillfactor", "toast_tuple_target", "parallel_workers", "user_catalog_table", "autovacuum_analyze_threshold", "autovacuum_analyze_scale_factor",
}

// splitStorage takes table.parameter apart. ok is false when the last part is
// neither a storage parameter nor nearly one: then it is an extension's
// setting, such as auto_explain.log_min_duration. near is what a misspelt
// parameter was meant to be.
func splitStorage(key string) (table, name, near string, ok bool) {
	i := strings.LastIndexByte(key, '.')
	if i <= 0 {
		return "", "", "", false
	}
	table, name = key[:i], key[i+1:]
	if slices.Contains(storageParameters, name) {
		return table, name, "", true
	}
	if near = nearest(name, storageParameters); near != "" && distance(name, near) <= 3 {
		return table, name, near, true
	}
	return "", "", "", false
}

// checkStorage reports an unknown storage parameter, or one that TOAST tables
// do not have.
func (b *builder) checkStorage(at *node, table, name string) bool {
	if !slices.Contains(storageParameters, name) {
		b.r.errorf(at, didYouMean(name, storageParameters), "%s is not a storage parameter of tables", clip(name))
		return false
	}
	if strings.HasSuffix(table, ".toast") && slices.Contains(notForToast, name) {
		b.r.errorf(at, "", "TOAST tables have no %s", name)
		return false
	}
	return true
}
