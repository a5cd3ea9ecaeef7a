// How the search index splits text into words, where in a text it has found them, and which texts
// are equal without case.
#ifndef DAYBOOK_TOKENS_H
#define DAYBOOK_TOKENS_H

#include <stddef.h>
#include <stdint.h>

struct sqlite3;

/// Registers with a connection what search indexes need, which must be done before one is used.
/// Returns a SQLite result code.
///
/// - The tokenizer `daybook`. Words are stemmed, unless it has the argument `words`.
/// - `daybook_rank(INDEX, WEIGHT…)` returns the relevance of a row as FTS5's `bm25` does, with a
///   weight for each column, or 1. It does not list the places of a row, of which there may be
///   millions.
/// - `daybook_key_1(VALUE)` returns the key of a text by table 1, as `daybook_key` does, and any
///   other value itself.
/// - `daybook_places(INDEX, WORDS)` returns where a snippet of so many words should be, as numbers
///   of 32 bits in the order of the machine. They are the column, the first word found there and
///   the one after the last, and then pairs of a word and a count: all that was found in the
///   snippet's reach. Words are numbered from 0 within the column. The result is empty if nothing
///   was found.
int daybook_tokens_register(struct sqlite3 *db);

/// The version of the rules by which texts are split and words are compared. It contains that of
/// Unicode. An index that was made by another version must be made again.
int32_t daybook_words_version(void);

/// A word of a text, in bytes.
typedef struct {
  size_t start, end;
  /// 1 for a character that is a word, as in scripts without spaces between words.
  int is_alone;
} DaybookWord;

/// Finds the first word of a text at or after `at`, which is not inside of one. Returns 0 if there
/// is none. Bytes that are no UTF-8 separate words.
int daybook_word_next(const uint8_t *text, size_t count, size_t at, DaybookWord *word);

/// Passes up to `limit` words at the beginning of a text, and returns the number of bytes after
/// which the next word can be looked for. Sets `passed` to the number of words. A word that may go
/// on after the text is not passed, unless `is_end`.
size_t daybook_words_pass(
    const uint8_t *text, size_t count, int is_end, size_t limit, size_t *passed);

enum {
  /// The number of bytes of a key for each byte of its text, at most.
  DAYBOOK_KEY_GROWTH = 3,
};

/// Writes the key of a text: texts that are equal without case, in whatever form of Unicode, have
/// one key. It is NFD(toCasefold(NFD(text))), as D145 in chapter 3 of Unicode has it.
///
/// Code points that the table's version of Unicode has not assigned stay as they are, and so do
/// bytes that are no UTF-8. Returns the number of bytes; 0 if there is no such table.
/// - `key` and `room` each have `DAYBOOK_KEY_GROWTH` times the bytes of the text.
size_t daybook_key(int table, const uint8_t *text, size_t count, uint8_t *key, uint8_t *room);

#endif
