// A table that SQLite can select from, with rows that the program supplies.
//
// `INSERT INTO t SELECT … FROM it` runs as one statement: a cursor stays at the end of the tree,
// and no row pays for starting and finishing a statement of its own.
#ifndef DAYBOOK_ROWS_H
#define DAYBOOK_ROWS_H

struct sqlite3;
struct sqlite3_context;

/// A source of rows.
typedef struct {
  void *context;
  /// Advances to the next row, or to the first on the first call. Returns 1 if there is one, 0 at
  /// the end, or a negated SQLite result code.
  int (*next)(void *context);
  /// Sets the result to a column of the current row, counted from 0. Text and blobs may be passed
  /// as static: they must stay valid until the next row.
  void (*column)(void *context, struct sqlite3_context *result, int column);
} daybook_rows;

/// The table's name. No user table may have this name, because SQLite would read that one instead.
#define DAYBOOK_ROWS_NAME "_daybook_rows"

/// The largest number of columns, which are named `c0`, `c1` and so on.
#define DAYBOOK_ROWS_COLUMNS_MAX 2000

/// Registers the table DAYBOOK_ROWS_NAME, with columns `c0` to `c(count − 1)`, on a connection. A
/// later call replaces it, for example with another number of columns. Each query reads the rows
/// that `*source` has at that time; `source` must stay valid as long as the connection. Returns a
/// SQLite result code, which is SQLITE_RANGE if `count` is out of range.
int daybook_rows_register(struct sqlite3 *db, int count, const daybook_rows *source);

#endif
