#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

bool baseline_is_searched(const row_table *table) {
  for (size_t i = 0; i < table->column_count; i++)
    if (table->columns[i].search) return true;
  return false;
}

// MARK: - The index

static int configure(sqlite3 *db, const row_table *table, const char *setting, int64_t value) {
  return baseline_execute(
    db, sqlite3_mprintf(
          "INSERT INTO \"%w_fts\"(\"%w_fts\", rank) VALUES('%s', %lld)", table->name, table->name,
          setting, (long long)value));
}

int baseline_search_create(
  sqlite3 *db, const row_table *table, const baseline_load_options *options) {
  sqlite3_str *sql = sqlite3_str_new(db);
  sqlite3_str_appendf(sql, "CREATE VIRTUAL TABLE \"%w_fts\" USING fts5(", table->name);
  for (size_t i = 0; i < table->column_count; i++)
    if (table->columns[i].search) sqlite3_str_appendf(sql, "\"%w\", ", table->columns[i].name);
  sqlite3_str_appendf(
    sql, "content=\"%w\", tokenize='porter unicode61 remove_diacritics 2')", table->name);
  int status = baseline_execute(db, sqlite3_str_finish(sql));
  if (status == 0 && options->search_page_size > 0)
    status = configure(db, table, "pgsz", options->search_page_size);
  if (status == 0 && options->search_hash_mebibytes > 0)
    status = configure(db, table, "hashsize", (int64_t)options->search_hash_mebibytes << 20);
  if (status == 0 && options->search_automerge > 0)
    // The option uses 1 for "off" and 0 for the default; FTS5 uses 0 for "off".
    status = configure(
      db, table, "automerge", options->search_automerge == 1 ? 0 : options->search_automerge);
  return status;
}

int baseline_search_insert_rows(sqlite3 *db, const row_table *table) {
  sqlite3_str *sql = sqlite3_str_new(db);
  sqlite3_str_appendf(sql, "INSERT INTO \"%w_fts\"(rowid", table->name);
  for (size_t i = 0; i < table->column_count; i++)
    if (table->columns[i].search) sqlite3_str_appendf(sql, ", \"%w\"", table->columns[i].name);
  sqlite3_str_appendall(sql, ") VALUES (?");
  for (size_t i = 0; i < table->column_count; i++)
    if (table->columns[i].search) sqlite3_str_appendall(sql, ",?");
  sqlite3_str_appendall(sql, ")");
  sqlite3_stmt *insert;
  if (baseline_prepare(db, sqlite3_str_finish(sql), &insert) != 0) return -1;
  int status = SQLITE_DONE;
  for (size_t row = 0; row < table->row_count && status == SQLITE_DONE; row++) {
    const row_value *values = baseline_row(table, row);
    int position = 1;
    sqlite3_bind_int64(insert, position++, (sqlite3_int64)row + 1);
    for (size_t i = 0; i < table->column_count; i++)
      if (table->columns[i].search) baseline_bind(insert, position++, &values[i]);
    status = sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  if (status != SQLITE_DONE) baseline_fail_sqlite(db, "insert into the search index");
  sqlite3_finalize(insert);
  return status == SQLITE_DONE ? 0 : -1;
}

int baseline_search_finish(sqlite3 *db, const row_table *table) {
  // FTS5 writes its collected entries when a savepoint begins. Otherwise it would do so in COMMIT,
  // and the time would count for another phase.
  if (baseline_execute(db, sqlite3_mprintf("SAVEPOINT gathered; RELEASE gathered")) != 0) return -1;
  // The next writer needs neither hundreds of mebibytes of memory nor a growing number of segments.
  if (configure(db, table, "hashsize", 1 << 20) != 0) return -1;
  return configure(db, table, "automerge", 4);
}

// MARK: - Second thread

struct search_builder {
  pthread_t thread;
  const baseline_rows *rows;
  baseline_load_options options;
  sqlite3 *db;
  uint64_t elapsed;
  int status;
  char problem[256];
};

static int build_all(search_builder *builder) {
  // The indexed tables are missing in this database; FTS5 needs them only for queries.
  if (baseline_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &builder->db) != 0)
    return -1;
  if (baseline_execute(
        builder->db,
        sqlite3_mprintf(
          "PRAGMA page_size=%d; PRAGMA journal_mode=OFF; PRAGMA secure_delete=OFF; BEGIN",
          builder->options.page_size))
      != 0)
    return -1;
  for (size_t i = 0; i < builder->rows->table_count; i++) {
    const row_table *table = &builder->rows->tables[i];
    if (!baseline_is_searched(table)) continue;
    if (baseline_search_create(builder->db, table, &builder->options) != 0) return -1;
    if (baseline_search_insert_rows(builder->db, table) != 0) return -1;
    if (baseline_search_finish(builder->db, table) != 0) return -1;
  }
  return baseline_execute(builder->db, sqlite3_mprintf("COMMIT"));
}

static void *run(void *argument) {
  search_builder *builder = argument;
  uint64_t start = baseline_now();
  builder->status = build_all(builder);
  // Error messages are per thread, and the caller of the load reads those of its own.
  if (builder->status != 0)
    snprintf(builder->problem, sizeof builder->problem, "%s", baseline_error());
  builder->elapsed = baseline_now() - start;
  return NULL;
}

search_builder *baseline_builder_start(
  const baseline_rows *rows, const baseline_load_options *options) {
  search_builder *builder = calloc(1, sizeof *builder);
  if (!builder) {
    baseline_fail("out of memory");
    return NULL;
  }
  builder->rows = rows;
  builder->options = *options;
  if (pthread_create(&builder->thread, NULL, run, builder) == 0) return builder;
  baseline_fail("cannot start a thread");
  free(builder);
  return NULL;
}

static int copy_table(sqlite3 *from, sqlite3 *to, const char *name, const char *part) {
  sqlite3_stmt *read, *write = NULL;
  if (baseline_execute(to, sqlite3_mprintf("DELETE FROM \"%w_fts_%s\"", name, part)) != 0)
    return -1;
  if (baseline_prepare(from, sqlite3_mprintf("SELECT * FROM \"%w_fts_%s\"", name, part), &read)
      != 0)
    return -1;
  int columns = sqlite3_column_count(read), status = SQLITE_DONE;
  int outcome = baseline_prepare(
    to,
    sqlite3_mprintf(
      "INSERT INTO \"%w_fts_%s\" VALUES (?,?%s)", name, part, columns == 3 ? ",?" : ""),
    &write);
  while (outcome == 0 && status == SQLITE_DONE && sqlite3_step(read) == SQLITE_ROW) {
    for (int i = 0; i < columns; i++)
      sqlite3_bind_value(write, i + 1, sqlite3_column_value(read, i));
    status = sqlite3_step(write);
    sqlite3_reset(write);
  }
  if (status != SQLITE_DONE) outcome = baseline_fail_sqlite(to, "copy the search index");
  sqlite3_finalize(read);
  sqlite3_finalize(write);
  return outcome;
}

static int copy_all(search_builder *builder, sqlite3 *db) {
  // An external-content index keeps all of its state in these tables. The copying connection must
  // not query before it is reopened: FTS5 has cached the structure of the empty index.
  const char *parts[] = {"data", "idx", "docsize", "config"};
  for (size_t i = 0; i < builder->rows->table_count; i++) {
    const row_table *table = &builder->rows->tables[i];
    if (!baseline_is_searched(table)) continue;
    baseline_load_options plain = {0};
    if (baseline_search_create(db, table, &plain) != 0) return -1;
    for (int part = 0; part < 4; part++)
      if (copy_table(builder->db, db, table->name, parts[part]) != 0) return -1;
  }
  return 0;
}

int baseline_builder_finish(search_builder *builder, sqlite3 *db, uint64_t *elapsed) {
  pthread_join(builder->thread, NULL);
  *elapsed = builder->elapsed;
  int status = builder->status;
  if (status != 0)
    baseline_fail("%s", builder->problem);
  else
    status = copy_all(builder, db);
  sqlite3_close(builder->db);
  free(builder);
  return status;
}

void baseline_builder_abandon(search_builder *builder) {
  pthread_join(builder->thread, NULL);
  sqlite3_close(builder->db);
  free(builder);
}
