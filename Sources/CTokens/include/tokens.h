// How the search index takes texts apart: words, as SQLite's own tokenizer finds them, and of scripts that
// are written without spaces between words each character, so that any part of a text is found.
#ifndef DAYBOOK_TOKENS_H
#define DAYBOOK_TOKENS_H

#include <stdint.h>

struct sqlite3;

/// Makes the tokenizer `daybook` known to a connection. Without an argument words are stemmed, with the
/// argument `words` they are not. To be called before a search index is used. Returns SQLite's code.
int daybook_tokens_register(struct sqlite3 *db);

/// Whether a code point belongs to a script that is written without spaces between words, or whose words
/// carry endings that no space sets apart (Korean), and is no punctuation.
int daybook_is_unspaced(uint32_t scalar);

#endif
