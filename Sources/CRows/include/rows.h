// Rows that a program has, as a table that SQLite can select from.
//
// `INSERT INTO t SELECT … FROM it` runs as one statement: a cursor stays at the end of the tree, and
// no row pays for the beginning and the end of a statement of its own.
#ifndef DAYBOOK_ROWS_H
#define DAYBOOK_ROWS_H

struct sqlite3;
struct sqlite3_context;

/// Where rows come from.
typedef struct {
  void *context;
  /// Goes to the next row, the first at first: 1 where there is one, 0 at the end, or minus one of
  /// SQLite's codes.
  int (*next)(void *context);
  /// Sets the result to a column of the current row, counted from 0. Text and blobs may be static: they
  /// have to stay until the next row.
  void (*column)(void *context, struct sqlite3_context *result, int column);
} daybook_rows;

/// The table's name: one that no table of a user's can have, since that would be read instead.
#define DAYBOOK_ROWS_NAME "_daybook_rows"

/// How many columns there are: `c0` and so on.
#define DAYBOOK_ROWS_COLUMNS_MAX 2000

/// Makes a table of the name DAYBOOK_ROWS_NAME, with columns `c0` to `c(count − 1)`, known to a connection;
/// again with another number of columns. Each reading of it takes the rows of `*source` as they are then:
/// what `source` points to must live as long as the connection. Returns SQLite's code.
int daybook_rows_register(struct sqlite3 *db, int count, const daybook_rows *source);

#endif
