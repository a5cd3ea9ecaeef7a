// The table of Unicode that Tools/unicode makes: what each code point is in a word.
#ifndef DAYBOOK_UNICODE_H
#define DAYBOOK_UNICODE_H

#include <stdint.h>

enum {
  /// Ends a word: spaces, punctuation and most symbols.
  KIND_SEPARATOR,
  /// Part of a word.
  KIND_LETTER,
  /// Left out of words, and ends none: accents, points, joiners, soft hyphens.
  KIND_IGNORED,
  /// A word of its own: characters of scripts without spaces between words, and of Korean.
  KIND_ALONE,
  /// A picture, which is a word of its own: an emoji.
  KIND_PICTURE,
  /// One half of a flag.
  KIND_FLAG,
  /// Part of the character before it, in scripts whose characters are words.
  KIND_ATTACHED,
};

/// Unicode's version, and that of the rules by which the table is made from its data.
extern const int32_t daybook_unicode_version;

/// Code points by blocks of 128: the block of each, then the number of each record in a block, and
/// the kind that the record has.
extern const uint32_t daybook_unicode_blocks;
extern const uint16_t daybook_unicode_index[];
extern const uint16_t daybook_unicode_numbers[];
extern const uint8_t daybook_unicode_kinds[];

/// Records: from the lowest bit, 3 bits of kind, 5 bits of the length of the text that a word has
/// instead of the code point (0: the code point itself), and that text's place.
extern const uint32_t daybook_unicode_records[];

/// The texts, in UTF-8.
extern const uint8_t daybook_unicode_texts[];

/// Returns the place of a code point in the blocks.
static inline uint32_t unicode_place(uint32_t scalar) {
  uint32_t block = scalar >> 7;
  if (block >= daybook_unicode_blocks) block = daybook_unicode_blocks - 1;
  return (uint32_t)daybook_unicode_index[block] << 7 | (scalar & 127);
}

static inline uint32_t unicode_record(uint32_t scalar) {
  return daybook_unicode_records[daybook_unicode_numbers[unicode_place(scalar)]];
}

static inline int unicode_kind(uint32_t scalar) {
  return daybook_unicode_kinds[unicode_place(scalar)];
}

#endif
