// Measures what a machine can do without Daybook; Daybook's own figures are compared with these.
//
// Functions return 0 or a non-negative number, and -1 or NULL after a failure, which
// `baseline_error` then describes. Only one thread at a time may use a handle. Times are in
// nanoseconds of the monotonic clock. They are taken inside these functions, so they exclude the
// caller's overhead.
#ifndef BASELINE_H
#define BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Describes the failure of the last call on this thread.
const char *_Nonnull baseline_error(void);
// Returns the version of SQLite that is linked.
const char *_Nonnull baseline_sqlite_version(void);

// MARK: - Rows

// Interchange as packed rows in memory, so that the time of a load excludes parsing.
typedef struct baseline_rows baseline_rows;

// Reads `define` and `insert` lines. It refuses other operations, because a load writes final rows.
baseline_rows *_Nullable baseline_rows_read(const char *_Nonnull path);
uint64_t baseline_rows_count(const baseline_rows *_Nonnull rows);
void baseline_rows_free(baseline_rows *_Nullable rows);

// MARK: - Bulk load

// Configures SQLite for speed in the whole process; call it only before SQLite's first use.
int baseline_tune_process(void);

typedef enum {
  // FTS5 reads the rows back from their table.
  baseline_search_rebuild = 0,
  // FTS5 receives the values from memory.
  baseline_search_rows = 1,
  // A second thread builds the index in a database in memory, while rows and other indexes are
  // written. Its tables are then copied.
  baseline_search_beside = 2,
} baseline_search_fill;

typedef enum {
  baseline_order_file = 0,
  // Sorts by id before the first insert, within the measured time. The primary key's index then
  // grows only at its end.
  baseline_order_id = 1,
  // Sorts relationships by source and target, so that one of their two indexes is in order. Sorts
  // other tables by id.
  baseline_order_edges = 2,
} baseline_row_order;

typedef struct {
  int32_t page_size;
  int32_t cache_mebibytes;
  // Builds the primary key's index after the rows, as a UNIQUE index.
  bool primary_key_after;
  baseline_row_order order;
  baseline_search_fill search_fill;
  // Settings of FTS5; 0 keeps its default, and an automerge of 1 turns merging off.
  int32_t search_page_size;
  int32_t search_hash_mebibytes;
  int32_t search_automerge;
  // Number of extra threads for the sorter that builds indexes.
  int32_t sorter_threads;
} baseline_load_options;

typedef struct {
  uint64_t create;
  uint64_t order;
  uint64_t rows;
  uint64_t primary_keys;
  uint64_t field_indexes;
  uint64_t edge_indexes;
  // With `baseline_search_beside`: the wait for the other thread, and the copy.
  uint64_t search;
  uint64_t commit;
  uint64_t close;
  uint64_t sync;
  // Time from before the file is created until after its fsync.
  uint64_t total;
  uint64_t row_count;
  uint64_t file_bytes;
  // With `baseline_search_beside`: the time of the other thread.
  uint64_t search_beside;
} baseline_load_result;

// Returns the fastest settings found.
baseline_load_options baseline_load_defaults(void);
// Writes the rows as tables with indexes and full-text search to a new file at `path`. Removes an
// existing file first.
int baseline_load(
  baseline_rows *_Nonnull rows, const char *_Nonnull path,
  const baseline_load_options *_Nonnull options, baseline_load_result *_Nonnull result);

// MARK: - Commit

typedef enum {
  // Blocks reserved by fallocate: the first write to each still changes the file's metadata.
  baseline_file_reserved = 0,
  // Blocks written with zeros and synced beforehand.
  baseline_file_zeroed = 1,
} baseline_file_preparation;

typedef struct baseline_file baseline_file;

baseline_file *_Nullable baseline_file_open(
  const char *_Nonnull path, uint64_t bytes, baseline_file_preparation preparation);
// Appends with one `write` and waits until it is durable (F_FULLFSYNC on Apple's systems).
int64_t baseline_file_commit(
  baseline_file *_Nonnull file, const void *_Nonnull bytes, size_t length);
void baseline_file_close(baseline_file *_Nullable file);

// Writes one row per transaction in plain SQLite. It uses WAL with synchronous=FULL, a table with
// two indexes besides its primary key, and FTS5 over title and body. A database at `path` is
// removed first.
typedef struct baseline_notes baseline_notes;

typedef struct {
  const char *_Nonnull id;
  const char *_Nonnull title;
  const char *_Nonnull body;
  const char *_Nonnull project;
  int64_t priority;
} baseline_note;

baseline_notes *_Nullable baseline_notes_open(const char *_Nonnull path);
int64_t baseline_notes_commit(baseline_notes *_Nonnull notes, const baseline_note *_Nonnull note);
void baseline_notes_close(baseline_notes *_Nullable notes);

// MARK: - Search

typedef struct baseline_search baseline_search;

typedef enum {
  baseline_read_ranks = 0,
  // Also reads the rows of the hits from the table.
  baseline_read_rows = 1,
  // Also reads the ids of the hits, with a snippet of each.
  baseline_read_snippets = 2,
} baseline_search_read;

// Queries of the search index of `table`, in a file that `baseline_load` wrote.
baseline_search *_Nullable baseline_search_open(
  const char *_Nonnull path, const char *_Nonnull table, int32_t limit,
  baseline_search_read read);
int64_t baseline_search_run(
  baseline_search *_Nonnull search, const char *_Nonnull query, uint32_t *_Nonnull hits);
void baseline_search_close(baseline_search *_Nullable search);

// MARK: - Graph

typedef struct baseline_hop baseline_hop;

// Finds the relationships that begin at a vertex and lead to a row of `vertices`. The file is a
// read model, or one that `baseline_load` wrote. This measures the cost of one hop in SQLite.
baseline_hop *_Nullable baseline_hop_open(
  const char *_Nonnull path, const char *_Nonnull relationship, const char *_Nonnull vertices);
int64_t baseline_hop_run(
  baseline_hop *_Nonnull hop, const char *_Nonnull id, uint32_t *_Nonnull neighbors);
void baseline_hop_close(baseline_hop *_Nullable hop);

#endif
