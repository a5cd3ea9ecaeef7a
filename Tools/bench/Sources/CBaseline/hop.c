#include <stdlib.h>

#include "internal.h"

struct baseline_hop {
  sqlite3 *db;
  sqlite3_stmt *query;
};

baseline_hop *baseline_hop_open(
  const char *path, const char *relationship, const char *vertices) {
  baseline_hop *hop = calloc(1, sizeof *hop);
  if (!hop) {
    baseline_fail("out of memory");
    return NULL;
  }
  char *sql = sqlite3_mprintf(
    "SELECT r.id, r.target FROM \"%w\" r CROSS JOIN \"%w\" v ON v.id = r.target WHERE r.source = ?"
    " ORDER BY r.target", relationship, vertices);
  int status = baseline_open(path, SQLITE_OPEN_READONLY, &hop->db);
  if (status == 0)
    status = baseline_execute(
      hop->db, sqlite3_mprintf("PRAGMA cache_size=-262144; PRAGMA mmap_size=0"));
  if (status == 0)
    status = baseline_prepare(hop->db, sql, &hop->query);
  else
    sqlite3_free(sql);
  if (status == 0) return hop;
  baseline_hop_close(hop);
  return NULL;
}

int64_t baseline_hop_run(baseline_hop *hop, const char *id, uint32_t *neighbors) {
  uint64_t start = baseline_now();
  sqlite3_bind_text(hop->query, 1, id, -1, SQLITE_STATIC);
  uint32_t count = 0;
  int status;
  while ((status = sqlite3_step(hop->query)) == SQLITE_ROW) {
    // A neighbor counts once its values are read.
    for (int i = 0; i < 2; i++) sqlite3_column_bytes(hop->query, i);
    count++;
  }
  if (status != SQLITE_DONE) baseline_fail_sqlite(hop->db, id);
  sqlite3_reset(hop->query);
  uint64_t elapsed = baseline_now() - start;
  sqlite3_clear_bindings(hop->query);
  *neighbors = count;
  return status == SQLITE_DONE ? (int64_t)elapsed : -1;
}

void baseline_hop_close(baseline_hop *hop) {
  if (!hop) return;
  sqlite3_finalize(hop->query);
  sqlite3_close(hop->db);
  free(hop);
}
