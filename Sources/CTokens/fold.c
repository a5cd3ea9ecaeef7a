#include "fold.h"

#include <string.h>

#include "tokens.h"
#include "utf8.h"

/// The mark that becomes a letter when it is folded, and that letter.
static const uint8_t iota_below[2] = {0xCD, 0x85}, iota[2] = {0xCE, 0xB9};

static uint32_t record_of(const FoldTable *table, uint32_t scalar) {
  uint32_t block = scalar >> 7;
  if (block >= table->count) block = table->count - 1;
  return table->records[table->blocks[(uint32_t)table->places[block] << 7 | (scalar & 127)]];
}

/// A key that is being made.
typedef struct {
  const FoldTable *table;
  uint8_t *bytes;
  size_t count;
  /// Room for the marks that are sorted.
  uint8_t *room;
  /// Where the marks begin at the end of the key, the class of the last one, and whether one has a
  /// lower class than the one before.
  size_t marks;
  uint32_t last;
  int is_mixed;
} Key;

/// Sorts the marks at the end by their classes. Those of one class stay in their order.
///
/// Takes time in proportion to the marks, of which there may be millions.
static void sort_marks(Key *key) {
  size_t places[256] = {0};
  size_t size = key->count - key->marks;
  uint8_t *marks = key->bytes + key->marks;
  uint32_t scalar, length;
  for (size_t at = 0; at < size; at += length) {
    length = utf8_scalar(marks, size, at, &scalar);
    places[record_of(key->table, scalar) & 255] += length;
  }
  size_t sum = 0;
  for (int class = 0; class < 256; class++) {
    size_t here = places[class];
    places[class] = sum;
    sum += here;
  }
  memcpy(key->room, marks, size);
  for (size_t at = 0; at < size; at += length) {
    length = utf8_scalar(key->room, size, at, &scalar);
    size_t *place = &places[record_of(key->table, scalar) & 255];
    memcpy(marks + *place, key->room + at, length);
    *place += length;
  }
}

/// Puts the marks at the end in order, and begins new ones.
static void end_marks(Key *key) {
  if (key->is_mixed) sort_marks(key);
  // No class is higher than that of the iota, so all of them stand at the end.
  for (size_t at = key->count; at >= key->marks + 2; at -= 2) {
    if (memcmp(key->bytes + at - 2, iota_below, 2) != 0) break;
    memcpy(key->bytes + at - 2, iota, 2);
  }
  key->marks = key->count;
  key->last = 0;
  key->is_mixed = 0;
}

/// Appends a code point that is in its last form.
static void append(Key *key, const uint8_t *bytes, uint32_t length, uint32_t class) {
  if (class == 0 && key->marks < key->count) end_marks(key);
  memcpy(key->bytes + key->count, bytes, length);
  key->count += length;
  if (class == 0) {
    key->marks = key->count;
  } else {
    if (class < key->last) key->is_mixed = 1;
    key->last = class;
  }
}

static void append_syllable(Key *key, uint32_t number) {
  uint8_t bytes[3];
  append(key, bytes, utf8_write3(bytes, 0x1100 + number / 588), 0);
  append(key, bytes, utf8_write3(bytes, 0x1161 + number % 588 / 28), 0);
  if (number % 28) append(key, bytes, utf8_write3(bytes, 0x11A7 + number % 28), 0);
}

static size_t key_of(
    const FoldTable *table, const uint8_t *text, size_t count, uint8_t *bytes, uint8_t *room) {
  Key key = {table, bytes, 0, room, 0, 0, 0};
  uint32_t length;
  for (size_t at = 0; at < count; at += length) {
    uint32_t scalar;
    length = utf8_scalar(text, count, at, &scalar);
    if (length == 0) {
      // A byte of no valid code point stays, and ends the marks before it.
      length = 1;
      append(&key, text + at, 1, 0);
    } else if (scalar - 0xAC00 < 11172) {
      append_syllable(&key, scalar - 0xAC00);
    } else {
      uint32_t record = record_of(table, scalar);
      uint32_t size = record >> 8 & 31;
      if (size == 0) {
        append(&key, text + at, length, record & 255);
        continue;
      }
      const uint8_t *folded = table->texts + (record >> 13);
      uint32_t part;
      for (uint32_t from = 0; from < size; from += part) {
        part = utf8_scalar(folded, size, from, &scalar);
        append(&key, folded + from, part, record_of(table, scalar) & 255);
      }
    }
  }
  end_marks(&key);
  return key.count;
}

size_t daybook_key(
    int table, const uint8_t *text, size_t count, uint8_t *key, uint8_t *room) {
  return table == 1 ? key_of(&daybook_fold_1, text, count, key, room) : 0;
}

void daybook_key_1(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  if (sqlite3_value_type(values[0]) != SQLITE_TEXT) {
    sqlite3_result_value(context, values[0]);
    return;
  }
  const uint8_t *text = sqlite3_value_text(values[0]);
  size_t size = (size_t)sqlite3_value_bytes(values[0]);
  uint8_t *key = sqlite3_malloc64(DAYBOOK_KEY_GROWTH * size + 1);
  uint8_t *room = sqlite3_malloc64(DAYBOOK_KEY_GROWTH * size + 1);
  if (text && key && room) {
    size_t length = key_of(&daybook_fold_1, text, size, key, room);
    sqlite3_result_text64(context, (const char *)key, length, sqlite3_free, SQLITE_UTF8);
  } else {
    sqlite3_free(key);
    sqlite3_result_error_nomem(context);
  }
  sqlite3_free(room);
}
