#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "json.h"

// MARK: - The file

static int read_file(const char *path, char **bytes, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return baseline_fail("open %s: %s", path, strerror(errno));
  int status = -1;
  *bytes = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    rewind(file);
    *length = size > 0 ? (size_t)size : 0;
    // The zero at the end stops strtoll and strtod on a last line without a line feed.
    *bytes = malloc(*length + 1);
    if (*bytes && fread(*bytes, 1, *length, file) == *length) {
      (*bytes)[*length] = 0;
      status = 0;
    }
  }
  if (status != 0) {
    baseline_fail("read %s: %s", path, strerror(errno));
    free(*bytes);
  }
  fclose(file);
  return status;
}

// MARK: - Definitions

static char *copy_text(json_slice string) {
  char *text = malloc(string.length);
  if (text) text[json_decode(string, text)] = 0;
  return text;
}

static void set_type(row_column *column, json_slice type) {
  column->is_real = json_is(type, "real");
  column->is_boolean = json_is(type, "boolean");
  bool integer = column->is_boolean || json_is(type, "integer") || json_is(type, "timestamp");
  column->sql_type = integer ? "INTEGER" : column->is_real ? "REAL"
    : json_is(type, "blob")                                ? "BLOB"
                                                           : "TEXT";
}

static int add_column(row_table *table, char *name, json_slice type, bool search, bool index) {
  row_column *columns = realloc(table->columns, (table->column_count + 1) * sizeof *columns);
  if (!columns || !name) {
    free(name);
    return baseline_fail("out of memory");
  }
  table->columns = columns;
  row_column *column = &columns[table->column_count++];
  *column = (row_column){.name = name, .search = search, .index = index};
  set_type(column, type);
  return 0;
}

static int add_named_column(row_table *table, const char *name) {
  json_slice text = {"\"text\"", 6};
  return add_column(table, strdup(name), text, false, false);
}

static int define_fields(row_table *table, json_slice fields) {
  json_walker walker = json_walk(fields);
  json_slice field;
  while (json_next_element(&walker, &field)) {
    json_walker members = json_walk(field);
    json_slice key, value, name = {0}, type = {0};
    bool search = false, index = false;
    while (json_next_member(&members, &key, &value)) {
      if (json_is(key, "name")) name = value;
      if (json_is(key, "type")) type = value;
      if (json_is(key, "search")) search = json_is_true(value);
      if (json_is(key, "index")) index = json_is_true(value);
    }
    if (members.failed || !name.start) return baseline_fail("a field without a name");
    if (add_column(table, copy_text(name), type, search, index) != 0) return -1;
  }
  return walker.failed ? baseline_fail("fields are not a list") : 0;
}

static int define(
  baseline_rows *rows, json_slice collection, bool relationship, json_slice fields) {
  row_table *tables = realloc(rows->tables, (rows->table_count + 1) * sizeof *tables);
  if (!tables) return baseline_fail("out of memory");
  rows->tables = tables;
  row_table *table = &tables[rows->table_count++];
  *table = (row_table){.relationship = relationship};
  table->name = copy_text(collection);
  if (!table->name) return baseline_fail("out of memory");
  if (add_named_column(table, "id") != 0) return -1;
  if (relationship) {
    if (add_named_column(table, "source") != 0) return -1;
    if (add_named_column(table, "target") != 0) return -1;
  }
  return fields.start ? define_fields(table, fields) : 0;
}

// MARK: - Rows

static row_table *find_table(baseline_rows *rows, json_slice name) {
  for (size_t i = 0; i < rows->table_count; i++)
    if (json_is(name, rows->tables[i].name)) return &rows->tables[i];
  return NULL;
}

// The space for texts suffices: the kept part of a line is never longer than the line.
static void keep_text(baseline_rows *rows, row_value *value, json_slice slice, bool decode) {
  char *text = rows->texts + rows->texts_used;
  size_t length = slice.length;
  if (decode)
    length = json_decode(slice, text);
  else
    memcpy(text, slice.start, length);
  rows->texts_used += length;
  *value = (row_value){.text = text, .length = (uint32_t)length, .kind = value_text};
}

static void keep(
  baseline_rows *rows, const row_column *column, row_value *value, json_slice slice) {
  char first = *slice.start;
  if (first == '"') {
    keep_text(rows, value, slice, true);
  } else if (first == '{' || first == '[') {
    keep_text(rows, value, slice, false);
  } else if (first == 'n') {
    *value = (row_value){.kind = value_null};
  } else if (first == 't' || first == 'f') {
    *value = (row_value){.integer = first == 't', .kind = value_integer};
  } else {
    bool real = column->is_real;
    for (size_t i = 0; i < slice.length && !real; i++) real = memchr(".eE", slice.start[i], 3);
    if (real)
      *value = (row_value){.real = strtod(slice.start, NULL), .kind = value_real};
    else
      *value = (row_value){.integer = strtoll(slice.start, NULL, 10), .kind = value_integer};
  }
}

static row_value *add_row(row_table *table) {
  if (table->row_count == table->row_capacity) {
    size_t capacity = table->row_capacity ? table->row_capacity * 2 : 1024;
    row_value *values = realloc(table->values, capacity * table->column_count * sizeof *values);
    if (!values) return NULL;
    table->values = values;
    table->row_capacity = capacity;
  }
  row_value *row = &table->values[table->row_count++ * table->column_count];
  for (size_t i = 0; i < table->column_count; i++) row[i] = (row_value){.kind = value_null};
  return row;
}

static int insert(
  baseline_rows *rows, row_table *table, json_slice id, json_slice source, json_slice target,
  json_slice fields) {
  if (!id.start) return baseline_fail("an insert without an id");
  if (table->relationship && (!source.start || !target.start))
    return baseline_fail("a relationship without its ends");
  row_value *row = add_row(table);
  if (!row) return baseline_fail("out of memory");
  keep_text(rows, &row[0], id, true);
  if (table->relationship) {
    keep_text(rows, &row[1], source, true);
    keep_text(rows, &row[2], target, true);
  }
  if (!fields.start) return 0;
  json_walker walker = json_walk(fields);
  json_slice key, value;
  // Files keep to one order of fields, so the next one is most often the one wanted.
  size_t expected = table->relationship ? 3 : 1;
  while (json_next_member(&walker, &key, &value)) {
    size_t tried = 0;
    for (; tried < table->column_count; tried++, expected++) {
      if (expected >= table->column_count) expected = 0;
      if (json_is(key, table->columns[expected].name)) break;
    }
    if (tried == table->column_count) return baseline_fail("a field that is not defined");
    keep(rows, &table->columns[expected], &row[expected], value);
    expected++;
  }
  return walker.failed ? baseline_fail("fields are not an object") : 0;
}

static int read_line(baseline_rows *rows, json_slice line) {
  json_walker walker = json_walk(line);
  json_slice key, value;
  json_slice op = {0}, collection = {0}, id = {0}, source = {0}, target = {0}, fields = {0};
  bool relationship = false;
  while (json_next_member(&walker, &key, &value)) {
    if (json_is(key, "op")) op = value;
    else if (json_is(key, "collection")) collection = value;
    else if (json_is(key, "id")) id = value;
    else if (json_is(key, "source")) source = value;
    else if (json_is(key, "target")) target = value;
    else if (json_is(key, "fields")) fields = value;
    else if (json_is(key, "relationship")) relationship = json_is_true(value);
  }
  if (walker.failed || !op.start || !collection.start)
    return baseline_fail("not an operation of the interchange form");
  row_table *table = find_table(rows, collection);
  if (json_is(op, "define"))
    return table ? baseline_fail("a second definition of a collection")
                 : define(rows, collection, relationship, fields);
  if (!json_is(op, "insert")) return baseline_fail("only define and insert can be bulk loaded");
  if (!table) return baseline_fail("a collection that is not defined");
  return insert(rows, table, id, source, target, fields);
}

static int read_lines(baseline_rows *rows, const char *bytes, size_t length) {
  const char *end = bytes + length;
  size_t number = 1;
  for (const char *at = bytes; at < end; number++) {
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    const char *stop = feed ? feed : end;
    const char *last = stop;
    while (last > at && (last[-1] == '\r' || last[-1] == ' ')) last--;
    json_slice line = {at, (size_t)(last - at)};
    if (line.length > 0 && read_line(rows, line) != 0) {
      char problem[256];
      snprintf(problem, sizeof problem, "%s", baseline_error());
      return baseline_fail("line %zu: %s", number, problem);
    }
    at = stop + 1;
  }
  return 0;
}

baseline_rows *baseline_rows_read(const char *path) {
  char *bytes;
  size_t length;
  if (read_file(path, &bytes, &length) != 0) return NULL;
  baseline_rows *rows = calloc(1, sizeof *rows);
  int status = -1;
  if (rows) rows->texts = malloc(length + 1);
  if (rows && rows->texts)
    status = read_lines(rows, bytes, length);
  else
    baseline_fail("out of memory");
  free(bytes);
  if (status == 0) return rows;
  baseline_rows_free(rows);
  return NULL;
}

uint64_t baseline_rows_count(const baseline_rows *rows) {
  uint64_t count = 0;
  for (size_t i = 0; i < rows->table_count; i++) count += rows->tables[i].row_count;
  return count;
}

void baseline_rows_free(baseline_rows *rows) {
  if (!rows) return;
  for (size_t i = 0; i < rows->table_count; i++) {
    row_table *table = &rows->tables[i];
    for (size_t j = 0; j < table->column_count; j++) free(table->columns[j].name);
    free(table->columns);
    free(table->values);
    free(table->order);
    free(table->name);
  }
  free(rows->tables);
  free(rows->texts);
  free(rows);
}
