// Declarations that the parts of the baseline share.
#ifndef BASELINE_INTERNAL_H
#define BASELINE_INTERNAL_H

#include <sqlite3.h>

#include "baseline.h"

// Describes a failure for `baseline_error`; always returns -1.
int baseline_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Describes a failure on `db` with SQLite's message; always returns -1.
int baseline_fail_sqlite(sqlite3 *db, const char *doing);
uint64_t baseline_now(void);
// Waits until the written data is durable; the file's times need not be.
int baseline_sync(int descriptor);

// Runs SQL that needs no values. `sql` comes from sqlite3_mprintf and is freed.
int baseline_execute(sqlite3 *db, char *sql);
// Prepares SQL that comes from sqlite3_mprintf and is freed.
int baseline_prepare(sqlite3 *db, char *sql, sqlite3_stmt **statement);
// Removes a database and the files that SQLite keeps beside it. Missing files are no error.
int baseline_remove(const char *path);
// Opens a database for one thread, without SQLite's own locks, which would only cost time.
int baseline_open(const char *path, int flags, sqlite3 **db);

typedef enum { value_null, value_integer, value_real, value_text } value_kind;

typedef struct {
  union {
    int64_t integer;
    double real;
    const char *text;
  };
  uint32_t length;
  value_kind kind;
} row_value;

typedef struct {
  char *name;
  const char *sql_type;
  bool is_real;
  bool is_boolean;
  bool search;
  bool index;
} row_column;

// A table. The columns begin with `id`, then `source` and `target` of a relationship.
typedef struct {
  char *name;
  bool relationship;
  row_column *columns;
  size_t column_count;
  row_value *values;
  size_t row_count;
  size_t row_capacity;
  // The row numbers in the order in which they are loaded; NULL for the order of the file.
  uint32_t *order;
} row_table;

struct baseline_rows {
  row_table *tables;
  size_t table_count;
  char *texts;
  size_t texts_used;
};

// Returns the row that is loaded as number `position`.
static inline const row_value *baseline_row(const row_table *table, size_t position) {
  size_t row = table->order ? table->order[position] : position;
  return &table->values[row * table->column_count];
}
int baseline_order_rows(row_table *table, baseline_row_order order);

int baseline_bind(sqlite3_stmt *statement, int position, const row_value *value);

bool baseline_is_searched(const row_table *table);
int baseline_search_create(
  sqlite3 *db, const row_table *table, const baseline_load_options *options);
// Passes the values to FTS5. Row ids are positions, as SQLite assigned them to the table's rows.
int baseline_search_insert_rows(sqlite3 *db, const row_table *table);
// Resets the settings that serve only the load.
int baseline_search_finish(sqlite3 *db, const row_table *table);

// Builds the search indexes of all tables on another thread.
typedef struct search_builder search_builder;
search_builder *baseline_builder_start(
  const baseline_rows *rows, const baseline_load_options *options);
// Waits for the thread, then copies the indexes to `db`. Frees the builder, also on failure.
int baseline_builder_finish(search_builder *builder, sqlite3 *db, uint64_t *elapsed);
// Waits for the thread and frees the builder, without a copy.
void baseline_builder_abandon(search_builder *builder);

#endif
