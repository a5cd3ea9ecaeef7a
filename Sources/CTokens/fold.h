// The tables that Tools/unicode makes of texts that are equal without case.
#ifndef DAYBOOK_FOLD_H
#define DAYBOOK_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

/// Code points by blocks of 128: the block of each, then the number of each record in a block. The
/// last block is that of all code points behind it.
///
/// A record has, from the lowest bit, 8 bits of canonical combining class, 5 bits of the length of
/// the text that a key has instead of the code point (0: the code point itself), and that text's
/// place. Syllables of Hangul have none, because they are taken apart by counting.
typedef struct {
  uint32_t count;
  const uint16_t *places;
  const uint16_t *blocks;
  const uint32_t *records;
  /// In UTF-8.
  const uint8_t *texts;
} FoldTable;

extern const FoldTable daybook_fold_1;

/// The function `daybook_key_1` of SQL: a text's key by table 1, and any other value itself.
void daybook_key_1(sqlite3_context *context, int count, sqlite3_value **values);

#endif
