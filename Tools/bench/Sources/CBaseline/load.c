#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

// Measured with Debian's packages and on WordNet. Two settings matter: unique indexes are built
// after the rows, and the search index beside them. Pages of 16 KiB save a tenth compared with 4
// KiB; larger ones save nothing more. FTS5's own settings and the sorter's threads made no
// difference above noise.
baseline_load_options baseline_load_defaults(void) {
  return (baseline_load_options){
    .page_size = 16384,
    .cache_mebibytes = 1024,
    .primary_key_after = true,
    .search_fill = baseline_search_beside,
    .search_hash_mebibytes = 16,
  };
}

static int open_for_load(const char *path, const baseline_load_options *options, sqlite3 **db) {
  if (baseline_remove(path) != 0) return -1;
  if (baseline_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, db) != 0) return -1;
  return baseline_execute(
    *db,
    sqlite3_mprintf(
      "PRAGMA page_size=%d; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-%d;"
      // Debian's SQLite overwrites deleted data with zeros by default.
      "PRAGMA cache_spill=OFF; PRAGMA secure_delete=OFF; PRAGMA threads=%d;"
      "BEGIN EXCLUSIVE",
      options->page_size, options->cache_mebibytes * 1024, options->sorter_threads));
}

// MARK: - Tables

static int create_table(sqlite3 *db, const row_table *table, bool key_after) {
  sqlite3_str *sql = sqlite3_str_new(db);
  sqlite3_str_appendf(sql, "CREATE TABLE \"%w\"(", table->name);
  for (size_t i = 0; i < table->column_count; i++) {
    const row_column *column = &table->columns[i];
    sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "", column->name, column->sql_type);
    if (i == 0) sqlite3_str_appendall(sql, key_after ? " NOT NULL" : " PRIMARY KEY NOT NULL");
  }
  sqlite3_str_appendall(sql, ")");
  return baseline_execute(db, sqlite3_str_finish(sql));
}

static int insert_rows(sqlite3 *db, const row_table *table) {
  sqlite3_str *sql = sqlite3_str_new(db);
  sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES (", table->name);
  for (size_t i = 0; i < table->column_count; i++) sqlite3_str_appendall(sql, i ? ",?" : "?");
  sqlite3_str_appendall(sql, ")");
  sqlite3_stmt *insert;
  if (baseline_prepare(db, sqlite3_str_finish(sql), &insert) != 0) return -1;
  int status = SQLITE_DONE;
  for (size_t row = 0; row < table->row_count && status == SQLITE_DONE; row++) {
    const row_value *values = baseline_row(table, row);
    for (size_t i = 0; i < table->column_count; i++) baseline_bind(insert, (int)i + 1, &values[i]);
    status = sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  if (status != SQLITE_DONE) baseline_fail_sqlite(db, "insert rows");
  sqlite3_finalize(insert);
  return status == SQLITE_DONE ? 0 : -1;
}

// MARK: - Indexes

static int index_primary_keys(sqlite3 *db, const row_table *table) {
  return baseline_execute(
    db,
    sqlite3_mprintf("CREATE UNIQUE INDEX \"%w_id\" ON \"%w\"(id)", table->name, table->name));
}

static int index_fields(sqlite3 *db, const row_table *table) {
  for (size_t i = 0; i < table->column_count; i++) {
    const char *field = table->columns[i].name;
    if (!table->columns[i].index) continue;
    char *sql = sqlite3_mprintf(
      "CREATE INDEX \"%w_%w\" ON \"%w\"(\"%w\")", table->name, field, table->name, field);
    if (baseline_execute(db, sql) != 0) return -1;
  }
  return 0;
}

static int index_edges(sqlite3 *db, const row_table *table) {
  if (!table->relationship) return 0;
  return baseline_execute(
    db, sqlite3_mprintf(
          "CREATE INDEX \"%w_outward\" ON \"%w\"(source, target);"
          "CREATE INDEX \"%w_inward\" ON \"%w\"(target, source)",
          table->name, table->name, table->name, table->name));
}

static int index_search(sqlite3 *db, const row_table *table, const baseline_load_options *options) {
  if (!baseline_is_searched(table)) return 0;
  if (baseline_search_create(db, table, options) != 0) return -1;
  int status = options->search_fill == baseline_search_rebuild
    ? baseline_execute(
        db, sqlite3_mprintf(
              "INSERT INTO \"%w_fts\"(\"%w_fts\") VALUES('rebuild')", table->name, table->name))
    : baseline_search_insert_rows(db, table);
  return status == 0 ? baseline_search_finish(db, table) : -1;
}

// MARK: - The load

// Returns the time since `start` and sets `start` to now, so that phases follow without a gap.
static uint64_t lap(uint64_t *start) {
  uint64_t now = baseline_now(), elapsed = now - *start;
  *start = now;
  return elapsed;
}

static int build(
  sqlite3 *db, const baseline_rows *rows, const baseline_load_options *options,
  search_builder **builder, baseline_load_result *result) {
  size_t count = rows->table_count;
  uint64_t start = baseline_now();
  for (size_t i = 0; i < count; i++) {
    if (create_table(db, &rows->tables[i], options->primary_key_after) != 0) return -1;
    if (insert_rows(db, &rows->tables[i]) != 0) return -1;
  }
  result->rows = lap(&start);
  for (size_t i = 0; i < count && options->primary_key_after; i++)
    if (index_primary_keys(db, &rows->tables[i]) != 0) return -1;
  result->primary_keys = lap(&start);
  for (size_t i = 0; i < count; i++)
    if (index_fields(db, &rows->tables[i]) != 0) return -1;
  result->field_indexes = lap(&start);
  for (size_t i = 0; i < count; i++)
    if (index_edges(db, &rows->tables[i]) != 0) return -1;
  result->edge_indexes = lap(&start);
  if (*builder) {
    search_builder *finishing = *builder;
    *builder = NULL;
    if (baseline_builder_finish(finishing, db, &result->search_beside) != 0) return -1;
  } else {
    for (size_t i = 0; i < count; i++)
      if (index_search(db, &rows->tables[i], options) != 0) return -1;
  }
  result->search = lap(&start);
  int status = baseline_execute(db, sqlite3_mprintf("COMMIT"));
  result->commit = lap(&start);
  return status;
}

static int sync_file(const char *path, uint64_t *bytes) {
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return baseline_fail("open %s: %s", path, strerror(errno));
  int status = baseline_sync(descriptor);
  struct stat state;
  *bytes = fstat(descriptor, &state) == 0 ? (uint64_t)state.st_size : 0;
  close(descriptor);
  return status;
}

int baseline_load(
  baseline_rows *rows, const char *path, const baseline_load_options *options,
  baseline_load_result *result) {
  *result = (baseline_load_result){.row_count = baseline_rows_count(rows)};
  uint64_t begin = baseline_now(), start = begin;
  sqlite3 *db = NULL;
  search_builder *builder = NULL;
  int status = 0;
  for (size_t i = 0; i < rows->table_count && status == 0; i++)
    status = baseline_order_rows(&rows->tables[i], options->order);
  result->order = lap(&start);
  if (status == 0) status = open_for_load(path, options, &db);
  if (status == 0 && options->search_fill == baseline_search_beside) {
    builder = baseline_builder_start(rows, options);
    if (!builder) status = -1;
  }
  result->create = lap(&start);
  if (status == 0) status = build(db, rows, options, &builder, result);
  if (builder) baseline_builder_abandon(builder);
  lap(&start);
  sqlite3_close(db);
  result->close = lap(&start);
  if (status == 0) status = sync_file(path, &result->file_bytes);
  result->sync = lap(&start);
  result->total = start - begin;
  return status;
}
