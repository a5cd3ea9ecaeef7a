#include "rows.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  int count;
  const daybook_rows *source;
} Registration;

typedef struct {
  sqlite3_vtab table;
  const daybook_rows *source;
} Table;

typedef struct {
  sqlite3_vtab_cursor cursor;
  const daybook_rows *source;
  sqlite3_int64 row;
  int is_at_end;
} Cursor;

static int rows_connect(
    sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **table, char **error) {
  const Registration *registration = aux;
  sqlite3_str *sql = sqlite3_str_new(db);
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (int i = 0; i < registration->count; i++) {
    sqlite3_str_appendf(sql, i ? ", c%d" : "c%d", i);
  }
  sqlite3_str_appendall(sql, ")");
  char *text = sqlite3_str_finish(sql);
  if (!text) return SQLITE_NOMEM;
  int code = sqlite3_declare_vtab(db, text);
  sqlite3_free(text);
  if (code != SQLITE_OK) return code;
  Table *made = sqlite3_malloc(sizeof *made);
  if (!made) return SQLITE_NOMEM;
  memset(made, 0, sizeof *made);
  made->source = registration->source;
  *table = &made->table;
  return SQLITE_OK;
}

static int rows_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

/// Offers the one plan there is: all rows, in the order of the source.
static int rows_best_index(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }

static int rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  Cursor *made = sqlite3_malloc(sizeof *made);
  if (!made) return SQLITE_NOMEM;
  memset(made, 0, sizeof *made);
  made->source = ((Table *)table)->source;
  *cursor = &made->cursor;
  return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *base) {
  Cursor *cursor = (Cursor *)base;
  int code = cursor->source->next(cursor->source->context);
  if (code < 0) return -code;
  cursor->is_at_end = code == 0;
  cursor->row++;
  return SQLITE_OK;
}

static int rows_filter(
    sqlite3_vtab_cursor *cursor, int number, const char *text, int argc, sqlite3_value **argv) {
  ((Cursor *)cursor)->row = 0;
  return rows_next(cursor);
}

static int rows_eof(sqlite3_vtab_cursor *cursor) { return ((Cursor *)cursor)->is_at_end; }

static int rows_column(sqlite3_vtab_cursor *base, sqlite3_context *result, int column) {
  const daybook_rows *source = ((Cursor *)base)->source;
  source->column(source->context, result, column);
  return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row) {
  *row = ((Cursor *)cursor)->row;
  return SQLITE_OK;
}

/// The module has no xCreate: there is one such table, and it exists without CREATE.
static const sqlite3_module rows_module = {
    .iVersion = 0,
    .xConnect = rows_connect,
    .xBestIndex = rows_best_index,
    .xDisconnect = rows_disconnect,
    .xOpen = rows_open,
    .xClose = rows_close,
    .xFilter = rows_filter,
    .xNext = rows_next,
    .xEof = rows_eof,
    .xColumn = rows_column,
    .xRowid = rows_rowid,
};

int daybook_rows_register(sqlite3 *db, int count, const daybook_rows *source) {
  if (count < 1 || count > DAYBOOK_ROWS_COLUMNS_MAX) return SQLITE_RANGE;
  Registration *registration = sqlite3_malloc(sizeof *registration);
  if (!registration) return SQLITE_NOMEM;
  registration->count = count;
  registration->source = source;
  return sqlite3_create_module_v2(db, DAYBOOK_ROWS_NAME, &rows_module, registration, sqlite3_free);
}
