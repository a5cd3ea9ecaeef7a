#include <stdlib.h>
#include <string.h>

#include "internal.h"

// A row's key with a copy of its first bytes. Most comparisons end there, without reading the
// texts.
typedef struct {
  uint64_t prefix;
  const row_value *key;
  uint32_t row;
} sort_entry;

static uint64_t prefix_of(const row_value *key) {
  uint64_t prefix = 0;
  for (uint32_t i = 0; i < 8; i++)
    prefix = prefix << 8 | (i < key->length ? (unsigned char)key->text[i] : 0u);
  return prefix;
}

static int compare_texts(const row_value *left, const row_value *right) {
  uint32_t shared = left->length < right->length ? left->length : right->length;
  int order = memcmp(left->text, right->text, shared);
  return order ? order : (left->length > right->length) - (left->length < right->length);
}

static int compare_ids(const void *left, const void *right) {
  const sort_entry *a = left, *b = right;
  if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
  return compare_texts(a->key, b->key);
}

static int compare_edges(const void *left, const void *right) {
  const sort_entry *a = left, *b = right;
  int order = compare_ids(a, b);
  // The target column follows the source. Equal edges keep the file's order.
  if (!order) order = compare_texts(a->key + 1, b->key + 1);
  return order ? order : (a->row > b->row) - (a->row < b->row);
}

int baseline_order_rows(row_table *table, baseline_row_order order) {
  free(table->order);
  table->order = NULL;
  if (order == baseline_order_file || table->row_count == 0) return 0;
  bool edges = order == baseline_order_edges && table->relationship;
  sort_entry *entries = malloc(table->row_count * sizeof *entries);
  table->order = malloc(table->row_count * sizeof *table->order);
  if (!entries || !table->order) {
    free(entries);
    return baseline_fail("out of memory");
  }
  for (size_t i = 0; i < table->row_count; i++) {
    const row_value *key = &table->values[i * table->column_count + (edges ? 1 : 0)];
    entries[i] = (sort_entry){prefix_of(key), key, (uint32_t)i};
  }
  qsort(entries, table->row_count, sizeof *entries, edges ? compare_edges : compare_ids);
  for (size_t i = 0; i < table->row_count; i++) table->order[i] = entries[i].row;
  free(entries);
  return 0;
}
