#include <stdlib.h>

#include "internal.h"

struct baseline_search {
  sqlite3 *db;
  sqlite3_stmt *query;
};

static char *query_of(const char *table, int32_t limit, baseline_search_read read) {
  const char *columns = read == baseline_read_rows ? "t.*, f.rank" : "t.id, f.rank, ";
  char *snippet = read == baseline_read_snippets
    ? sqlite3_mprintf("snippet(\"%w_fts\", -1, '[', ']', '...', 12)", table)
    : sqlite3_mprintf("");
  char *sql = read == baseline_read_ranks
    ? sqlite3_mprintf(
        "SELECT rowid, rank FROM \"%w_fts\" WHERE \"%w_fts\" MATCH ? ORDER BY rank LIMIT %d",
        table, table, limit)
    : sqlite3_mprintf(
        "SELECT %s%s FROM \"%w_fts\" f JOIN \"%w\" t ON t.rowid = f.rowid"
        " WHERE f.\"%w_fts\" MATCH ? ORDER BY f.rank LIMIT %d", columns, snippet, table, table,
        table, limit);
  sqlite3_free(snippet);
  return sql;
}

baseline_search *baseline_search_open(
  const char *path, const char *table, int32_t limit, baseline_search_read read) {
  baseline_search *search = calloc(1, sizeof *search);
  if (!search) {
    baseline_fail("out of memory");
    return NULL;
  }
  char *sql = query_of(table, limit, read);
  int status = baseline_open(path, SQLITE_OPEN_READONLY, &search->db);
  // The large cache holds the file, as for a reader that has been open for some time.
  if (status == 0)
    status = baseline_execute(
      search->db, sqlite3_mprintf("PRAGMA cache_size=-262144; PRAGMA mmap_size=0"));
  if (status == 0)
    status = baseline_prepare(search->db, sql, &search->query);
  else
    sqlite3_free(sql);
  if (status == 0) return search;
  baseline_search_close(search);
  return NULL;
}

int64_t baseline_search_run(baseline_search *search, const char *query, uint32_t *hits) {
  uint64_t start = baseline_now();
  sqlite3_bind_text(search->query, 1, query, -1, SQLITE_STATIC);
  uint32_t count = 0;
  int columns = sqlite3_column_count(search->query), status;
  while ((status = sqlite3_step(search->query)) == SQLITE_ROW) {
    // A hit counts once its values are read.
    for (int i = 0; i < columns; i++) sqlite3_column_bytes(search->query, i);
    count++;
  }
  uint64_t elapsed = baseline_now() - start;
  if (status != SQLITE_DONE) baseline_fail_sqlite(search->db, query);
  sqlite3_reset(search->query);
  sqlite3_clear_bindings(search->query);
  *hits = count;
  return status == SQLITE_DONE ? (int64_t)elapsed : -1;
}

void baseline_search_close(baseline_search *search) {
  if (!search) return;
  sqlite3_finalize(search->query);
  sqlite3_close(search->db);
  free(search);
}
