// How the search index splits text into tokens. Words are found by SQLite's own tokenizer. In
// scripts that are written without spaces between words, each character is a token, so that any
// part of a text is found.
#ifndef DAYBOOK_TOKENS_H
#define DAYBOOK_TOKENS_H

#include <stdint.h>

struct sqlite3;

/// Registers the tokenizer `daybook` on a connection. Words are stemmed, unless the tokenizer has
/// the argument `words`. Must be called before a search index is used. Returns a SQLite result
/// code.
int daybook_tokens_register(struct sqlite3 *db);

/// Returns 1 if a code point belongs to a script without spaces between words, or to Korean.
/// Korean words carry endings that no space separates. Returns 0 for punctuation and for all other
/// scripts.
int daybook_is_unspaced(uint32_t scalar);

#endif
