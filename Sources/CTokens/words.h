// Words of a text, with the form in which they are compared.
#ifndef DAYBOOK_WORDS_H
#define DAYBOOK_WORDS_H

#include "tokens.h"

/// The longest form of a word in bytes, which is FTS5's limit. Longer words are cut.
enum { FOLDED_MAX = 32768 };

/// The form in which a word is compared.
typedef struct {
  size_t count;
  uint8_t bytes[FOLDED_MAX];
} Folded;

/// As `daybook_word_next`; sets the word's form if `folded` is given.
int word_next(
    const uint8_t *text, size_t count, size_t at, DaybookWord *word, Folded *folded);

#endif
