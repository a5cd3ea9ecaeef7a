#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

// MARK: - A write and a sync

struct baseline_file {
  int descriptor;
};

static int reserve(int descriptor, uint64_t bytes) {
#ifdef __APPLE__
  fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, (off_t)bytes, 0};
  if (fcntl(descriptor, F_PREALLOCATE, &store) != 0 || ftruncate(descriptor, (off_t)bytes) != 0)
    return baseline_fail("preallocate: %s", strerror(errno));
#else
  int code = posix_fallocate(descriptor, 0, (off_t)bytes);
  if (code != 0) return baseline_fail("fallocate: %s", strerror(code));
#endif
  return 0;
}

static int fill_with_zeros(int descriptor, uint64_t bytes) {
  static const char zeros[65536];
  for (uint64_t done = 0; done < bytes;) {
    size_t step = bytes - done < sizeof zeros ? (size_t)(bytes - done) : sizeof zeros;
    ssize_t written = write(descriptor, zeros, step);
    if (written <= 0) return baseline_fail("write: %s", strerror(errno));
    done += (uint64_t)written;
  }
  if (lseek(descriptor, 0, SEEK_SET) != 0) return baseline_fail("seek: %s", strerror(errno));
  return 0;
}

baseline_file *baseline_file_open(
  const char *path, uint64_t bytes, baseline_file_preparation preparation) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    baseline_fail("open %s: %s", path, strerror(errno));
    return NULL;
  }
  int status = preparation == baseline_file_zeroed ? fill_with_zeros(descriptor, bytes)
                                                   : reserve(descriptor, bytes);
  // The first commit must not pay for writes that the preparation has left.
  if (status == 0) status = baseline_sync(descriptor);
  baseline_file *file = status == 0 ? malloc(sizeof *file) : NULL;
  if (!file) {
    close(descriptor);
    return NULL;
  }
  file->descriptor = descriptor;
  return file;
}

int64_t baseline_file_commit(baseline_file *file, const void *bytes, size_t length) {
  uint64_t start = baseline_now();
  ssize_t written = write(file->descriptor, bytes, length);
  if (written != (ssize_t)length)
    return baseline_fail("write: %s", written < 0 ? strerror(errno) : "not all bytes were taken");
  if (baseline_sync(file->descriptor) != 0) return -1;
  return (int64_t)(baseline_now() - start);
}

void baseline_file_close(baseline_file *file) {
  if (!file) return;
  close(file->descriptor);
  free(file);
}

// MARK: - A row in SQLite

struct baseline_notes {
  sqlite3 *db;
  sqlite3_stmt *begin;
  sqlite3_stmt *insert;
  sqlite3_stmt *insert_search;
  sqlite3_stmt *commit;
};

static int set_up_notes(baseline_notes *notes, const char *path) {
  if (baseline_remove(path) != 0) return -1;
  if (baseline_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &notes->db) != 0) return -1;
  const char *schema =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA fullfsync=ON;"
    "CREATE TABLE notes(id TEXT PRIMARY KEY NOT NULL, title TEXT, body TEXT, project TEXT,"
    " priority INTEGER);"
    "CREATE INDEX notes_project ON notes(project);"
    "CREATE INDEX notes_priority ON notes(priority);"
    "CREATE VIRTUAL TABLE notes_fts USING fts5(title, body, content='notes',"
    " tokenize='porter unicode61 remove_diacritics 2');";
  if (baseline_execute(notes->db, sqlite3_mprintf("%s", schema)) != 0) return -1;
  const char *sql[] = {
    "BEGIN IMMEDIATE",
    "INSERT INTO notes VALUES (?, ?, ?, ?, ?)",
    "INSERT INTO notes_fts(rowid, title, body) VALUES (last_insert_rowid(), ?, ?)",
    "COMMIT",
  };
  sqlite3_stmt **statements[] = {
    &notes->begin, &notes->insert, &notes->insert_search, &notes->commit};
  for (int i = 0; i < 4; i++)
    if (baseline_prepare(notes->db, sqlite3_mprintf("%s", sql[i]), statements[i]) != 0) return -1;
  return 0;
}

baseline_notes *baseline_notes_open(const char *path) {
  baseline_notes *notes = calloc(1, sizeof *notes);
  if (!notes) {
    baseline_fail("out of memory");
    return NULL;
  }
  if (set_up_notes(notes, path) == 0) return notes;
  baseline_notes_close(notes);
  return NULL;
}

static int step(baseline_notes *notes, sqlite3_stmt *statement) {
  int done = sqlite3_step(statement) == SQLITE_DONE;
  if (!done) baseline_fail_sqlite(notes->db, sqlite3_sql(statement));
  sqlite3_reset(statement);
  return done ? 0 : -1;
}

static void bind_text(sqlite3_stmt *statement, int position, const char *text) {
  // Cannot fail: the position exists, and the caller keeps the text.
  sqlite3_bind_text(statement, position, text, -1, SQLITE_STATIC);
}

int64_t baseline_notes_commit(baseline_notes *notes, const baseline_note *note) {
  uint64_t start = baseline_now();
  bind_text(notes->insert, 1, note->id);
  bind_text(notes->insert, 2, note->title);
  bind_text(notes->insert, 3, note->body);
  bind_text(notes->insert, 4, note->project);
  sqlite3_bind_int64(notes->insert, 5, note->priority);
  bind_text(notes->insert_search, 1, note->title);
  bind_text(notes->insert_search, 2, note->body);
  int status = step(notes, notes->begin);
  if (status == 0) status = step(notes, notes->insert);
  if (status == 0) status = step(notes, notes->insert_search);
  if (status == 0) status = step(notes, notes->commit);
  uint64_t elapsed = baseline_now() - start;
  // The bound texts belong to the caller and may be freed after this call.
  sqlite3_clear_bindings(notes->insert);
  sqlite3_clear_bindings(notes->insert_search);
  return status == 0 ? (int64_t)elapsed : -1;
}

void baseline_notes_close(baseline_notes *notes) {
  if (!notes) return;
  sqlite3_finalize(notes->begin);
  sqlite3_finalize(notes->insert);
  sqlite3_finalize(notes->insert_search);
  sqlite3_finalize(notes->commit);
  sqlite3_close(notes->db);
  free(notes);
}
