#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

static _Thread_local char message[512];

const char *baseline_error(void) { return message; }

const char *baseline_sqlite_version(void) { return sqlite3_libversion(); }

int baseline_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return -1;
}

int baseline_fail_sqlite(sqlite3 *db, const char *doing) {
  return baseline_fail("SQLite: %s, doing: %s", sqlite3_errmsg(db), doing);
}

uint64_t baseline_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int baseline_sync(int descriptor) {
#ifdef __APPLE__
  int outcome = fcntl(descriptor, F_FULLFSYNC);
#else
  int outcome = fdatasync(descriptor);
#endif
  return outcome == 0 ? 0 : baseline_fail("sync: %s", strerror(errno));
}

int baseline_execute(sqlite3 *db, char *sql) {
  if (!sql) return baseline_fail("out of memory");
  int status = sqlite3_exec(db, sql, NULL, NULL, NULL);
  if (status != SQLITE_OK) baseline_fail_sqlite(db, sql);
  sqlite3_free(sql);
  return status == SQLITE_OK ? 0 : -1;
}

int baseline_prepare(sqlite3 *db, char *sql, sqlite3_stmt **statement) {
  if (!sql) return baseline_fail("out of memory");
  int status = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
  if (status != SQLITE_OK) baseline_fail_sqlite(db, sql);
  sqlite3_free(sql);
  return status == SQLITE_OK ? 0 : -1;
}

int baseline_open(const char *path, int flags, sqlite3 **db) {
  if (sqlite3_open_v2(path, db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) return 0;
  baseline_fail("SQLite: open %s: %s", path, *db ? sqlite3_errmsg(*db) : "out of memory");
  sqlite3_close(*db);
  *db = NULL;
  return -1;
}

int baseline_tune_process(void) {
  // Each connection belongs to one thread, so it needs no locks. Memory statistics are not used.
  if (sqlite3_config(SQLITE_CONFIG_MULTITHREAD) != SQLITE_OK
      || sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK)
    return baseline_fail("SQLite is in use already");
  return 0;
}

int baseline_remove(const char *path) {
  const char *suffixes[] = {"", "-wal", "-shm", "-journal"};
  for (int i = 0; i < 4; i++) {
    char *name = sqlite3_mprintf("%s%s", path, suffixes[i]);
    int status = name && unlink(name) != 0 && errno != ENOENT;
    sqlite3_free(name);
    if (status) return baseline_fail("remove %s%s: %s", path, suffixes[i], strerror(errno));
  }
  return 0;
}

int baseline_bind(sqlite3_stmt *statement, int position, const row_value *value) {
  switch (value->kind) {
  case value_null: return sqlite3_bind_null(statement, position);
  case value_integer: return sqlite3_bind_int64(statement, position, value->integer);
  case value_real: return sqlite3_bind_double(statement, position, value->real);
  case value_text:
    return sqlite3_bind_text(
      statement, position, value->text, (int)value->length, SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}
