package check

var checkpointCounters = []string{"checkpoints_timed", "checkpoints_requested", "buffers_checkpoint"}

func checkpointRules() []Rule {
	every := func(name, unit string) Rule {
		return Rule{Name: name, Unit: unit, Through: ThroughCheckpoint, Precondition: "when a checkpoint falls into the measurement", Counters: checkpointCounters,
			Contexts: since(oldest, "sighup"), binds: checkpointSeen}
	}
	wal := every("max_wal_size", "MB")
	wal.Precondition, wal.binds = "when the WAL written starts a checkpoint", requestedSeen
	images := every("full_page_writes", "")
	images.Precondition, images.Counters, images.binds = "when a page is changed for the first time after a checkpoint", []string{"wal_fpi", "wal_bytes"}, imagesWritten
	compression := images
	compression.Name, compression.Contexts = "wal_compression", since(oldest, "superuser")
	return []Rule{
		every("checkpoint_timeout", "s"), every("checkpoint_completion_target", ""), every("checkpoint_flush_after", "8kB"),
		wal, every("min_wal_size", "MB"), images, compression,
	}
}

func commitRules() []Rule {
	commit := func(name, unit, context, precondition string, binds func(contrast, treated) finding) Rule {
		return Rule{Name: name, Unit: unit, Through: ThroughCommit, Precondition: precondition, Counters: []string{"wal_bytes", "xact_commit"},
			Contexts: since(oldest, context), binds: binds}
	}
	const flushed = "when transactions write WAL and fsync is on"
	return []Rule{
		commit("synchronous_commit", "", "user", flushed, walFlushed),
		commit("fsync", "", "sighup", "when transactions write WAL", walWritten),
		commit("wal_sync_method", "", "sighup", flushed, walFlushed),
		commit("commit_delay", "", "superuser", "when fsync is on and more than commit_siblings other transactions are open", siblingsReached),
		commit("commit_siblings", "", "user", "when commit_delay is above 0 and fsync is on", delayUsed),
		commit("wal_writer_delay", "ms", "sighup", "when synchronous_commit is off", asynchronous),
		commit("wal_writer_flush_after", "8kB", "sighup", "when synchronous_commit is off", asynchronous),
		commit("wal_buffers", "8kB", "postmaster", "when transactions write WAL", walWritten),
		commit("wal_level", "", "postmaster", "when transactions write WAL", walWritten),
		commit("wal_init_zero", "", "superuser", "when transactions write WAL", walWritten),
		commit("wal_recycle", "", "superuser", "when transactions write WAL", walWritten),
	}
}

func memoryRules() []Rule {
	return []Rule{
		{Name: "shared_buffers", Unit: "8kB", Through: ThroughMemory, Precondition: "when the tables and indexes are larger than the smaller arm's buffers",
			Counters: []string{"blks_read", "blks_hit"}, Contexts: since(oldest, "postmaster"), binds: largerThanBuffers},
		{Name: "work_mem", Unit: "kB", Through: ThroughMemory, Precondition: "when a sort or hash does not fit into the smaller arm's memory",
			Counters: []string{"temp_bytes"}, Contexts: since(oldest, "user"), binds: spilled},
	}
}
