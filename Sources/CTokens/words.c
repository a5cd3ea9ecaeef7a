#include "words.h"

#include <string.h>

#include "unicode.h"
#include "utf8.h"

int32_t daybook_words_version(void) { return daybook_unicode_version; }

/// For each byte of ASCII, what a word has for it; 0 for those that separate words.
static const uint8_t ascii[128] = {
  ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
  ['7'] = '7', ['8'] = '8', ['9'] = '9',
  ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g',
  ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n',
  ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u',
  ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z',
  ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g',
  ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n',
  ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't', ['u'] = 'u',
  ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

/// A code point of a text.
typedef struct {
  uint32_t value;
  /// In bytes.
  uint32_t length;
  uint32_t record;
} Scalar;

static int kind(Scalar scalar) { return scalar.record & 7; }

/// Returns the code point at a place before the end. A byte that begins no valid one is one that
/// separates words.
static inline Scalar scalar_at(const uint8_t *text, size_t count, size_t at) {
  Scalar scalar = {text[at], 1, KIND_SEPARATOR};
  uint32_t length = utf8_scalar(text, count, at, &scalar.value);
  if (length > 1) {
    scalar.length = length;
    scalar.record = unicode_record(scalar.value);
  } else if (length == 1 && ascii[scalar.value]) {
    scalar.record = KIND_LETTER;
  }
  return scalar;
}

static void append(Folded *folded, const uint8_t *bytes, size_t count) {
  if (folded->count + count > FOLDED_MAX) return;
  memcpy(folded->bytes + folded->count, bytes, count);
  folded->count += count;
}

/// Appends what a word has for a code point at a place of a text.
static void fold(Folded *folded, const uint8_t *text, size_t at, Scalar scalar) {
  size_t length = scalar.record >> 3 & 31;
  if (scalar.length == 1) {
    append(folded, ascii + text[at], 1);
  } else if (length > 0) {
    append(folded, daybook_unicode_texts + (scalar.record >> 8), length);
  } else {
    append(folded, text + at, scalar.length);
  }
}

/// Passes letters and what words leave out, and returns where they end.
static size_t letters(const uint8_t *text, size_t count, size_t at, Folded *folded) {
  while (at < count) {
    uint8_t byte = text[at];
    if (byte < 0x80) {
      if (!ascii[byte]) break;
      if (folded->count < FOLDED_MAX) folded->bytes[folded->count++] = ascii[byte];
      at++;
      continue;
    }
    Scalar scalar = scalar_at(text, count, at);
    if (kind(scalar) == KIND_LETTER) {
      fold(folded, text, at, scalar);
    } else if (kind(scalar) != KIND_IGNORED) {
      break;
    }
    at += scalar.length;
  }
  return at;
}

/// Does the same without the form of the word, several times as fast.
static size_t letters_end(const uint8_t *text, size_t count, size_t at) {
  while (at < count) {
    const uint8_t *bytes = text + at;
    uint32_t lead = bytes[0];
    int is;
    size_t length;
    if (lead < 0x80) {
      is = ascii[lead] ? KIND_LETTER : KIND_SEPARATOR;
      length = 1;
    } else if (lead < 0xE0 && lead >= 0xC2 && count - at > 1 && utf8_is_tail(bytes[1])) {
      is = unicode_kind((lead & 0x1F) << 6 | (bytes[1] & 0x3F));
      length = 2;
    } else if (lead > 0xE0 && lead < 0xED && count - at > 2 && utf8_is_tail(bytes[1])
               && utf8_is_tail(bytes[2])) {
      is = unicode_kind(
        (lead & 0x0F) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3F));
      length = 3;
    } else {
      Scalar scalar = scalar_at(text, count, at);
      is = kind(scalar);
      length = scalar.length;
    }
    if (is != KIND_LETTER && is != KIND_IGNORED) break;
    at += length;
  }
  return at;
}

// Hangul: a syllable is one code point, or two or three that are its parts.
enum { FIRST_LEAD = 0x1100, LEADS = 19, FIRST_VOWEL = 0x1161, VOWELS = 21, NO_TAIL = 0x11A7 };
enum { TAILS = 28, FIRST_SYLLABLE = 0xAC00, SYLLABLES = LEADS * VOWELS * TAILS };

/// Returns the syllable of two parts; 0 if they make none.
static uint32_t syllable(uint32_t first, uint32_t second) {
  uint32_t lead = first - FIRST_LEAD, vowel = second - FIRST_VOWEL, tail = second - NO_TAIL;
  if (lead < LEADS && vowel < VOWELS) return FIRST_SYLLABLE + (lead * VOWELS + vowel) * TAILS;
  uint32_t open = first - FIRST_SYLLABLE;
  if (open < SYLLABLES && open % TAILS == 0 && tail > 0 && tail < TAILS) return first + tail;
  return 0;
}

/// Passes the rest of a character that is a word, and returns where it ends.
static size_t character(
    const uint8_t *text, size_t count, size_t at, Scalar first, Folded *folded) {
  size_t from = at;
  uint32_t value = first.value, composed;
  Scalar next = {0, 0, KIND_SEPARATOR};
  at += first.length;
  for (; at < count; at += next.length, value = composed) {
    next = scalar_at(text, count, at);
    composed = syllable(value, next.value);
    if (!composed) break;
  }
  if (folded && value == first.value) fold(folded, text, from, first);
  if (folded && value != first.value) {
    uint8_t bytes[3] = {
      (uint8_t)(0xE0 | value >> 12), (uint8_t)(0x80 | (value >> 6 & 0x3F)),
      (uint8_t)(0x80 | (value & 0x3F)),
    };
    append(folded, bytes, 3);
  }
  while (at < count && (kind(next) == KIND_ATTACHED || kind(next) == KIND_IGNORED)) {
    if (kind(next) == KIND_ATTACHED && folded) fold(folded, text, at, next);
    at += next.length;
    if (at < count) next = scalar_at(text, count, at);
  }
  return at;
}

/// Passes what changes a picture, and returns where that ends.
static size_t ignored(const uint8_t *text, size_t count, size_t at) {
  while (at < count && text[at] >= 0x80) {
    Scalar next = scalar_at(text, count, at);
    if (kind(next) != KIND_IGNORED) break;
    at += next.length;
  }
  return at;
}

int word_next(
    const uint8_t *text, size_t count, size_t at, DaybookWord *word, Folded *folded) {
  while (at < count) {
    Scalar first = scalar_at(text, count, at);
    int is = kind(first);
    if (is == KIND_SEPARATOR || is == KIND_IGNORED) {
      at += first.length;
      continue;
    }
    word->start = at;
    word->is_alone = is == KIND_ALONE || is == KIND_ATTACHED;
    if (folded) folded->count = 0;
    if (is == KIND_LETTER) {
      word->end = folded ? letters(text, count, at, folded) : letters_end(text, count, at);
      return 1;
    }
    if (word->is_alone) {
      word->end = character(text, count, at, first, folded);
      return 1;
    }
    if (folded) fold(folded, text, at, first);
    at += first.length;
    if (is == KIND_FLAG && at < count) {
      Scalar second = scalar_at(text, count, at);
      if (kind(second) == KIND_FLAG) {
        if (folded) fold(folded, text, at, second);
        at += second.length;
      }
    }
    word->end = ignored(text, count, at);
    return 1;
  }
  return 0;
}

int daybook_word_next(const uint8_t *text, size_t count, size_t at, DaybookWord *word) {
  return word_next(text, count, at, word, NULL);
}

// MARK: Passing many words

enum { BLOCK = 64 };

/// Counts the words that begin in a block of ASCII, which the compiler does for many bytes at once.
/// Returns a negative number if the block is not ASCII.
/// - Parameter is_inside: whether the byte before the block is in a word; set for its last byte.
static int beginnings(const uint8_t *block, int *is_inside) {
  uint8_t inside[BLOCK + 1];
  uint8_t all = 0, count = 0;
  inside[0] = (uint8_t)*is_inside;
  for (int i = 0; i < BLOCK; i++) {
    uint8_t byte = block[i];
    all |= byte;
    inside[i + 1] =
      (uint8_t)((uint8_t)((byte | 0x20) - 'a') < 26) | (uint8_t)((uint8_t)(byte - '0') < 10);
  }
  if (all >= 0x80) return -1;
  for (int i = 0; i < BLOCK; i++) count += inside[i + 1] & (inside[i] ^ 1);
  *is_inside = inside[BLOCK];
  return count;
}

/// Passes words by blocks of ASCII, from a place that is not inside of a word.
static size_t pass_blocks(
    const uint8_t *text, size_t count, size_t at, size_t limit, size_t *passed) {
  size_t from = at;
  int is_inside = 0;
  while (count - at >= BLOCK) {
    // Most blocks that are not ASCII are so from the beginning.
    uint64_t first;
    memcpy(&first, text + at, sizeof first);
    if (first & 0x8080808080808080) break;
    int next = is_inside;
    int found = beginnings(text + at, &next);
    if (found < 0 || *passed + (size_t)found > limit) break;
    *passed += (size_t)found;
    is_inside = next;
    at += BLOCK;
  }
  if (!is_inside) return at;
  // The last word may go on: it is not passed yet.
  *passed -= 1;
  while (at > from && ascii[text[at - 1] & 0x7F]) at--;
  return at;
}

/// Returns the code point of three bytes; 0 if it has another length, or is rare.
static uint32_t of_three(const uint8_t *bytes) {
  uint32_t lead = bytes[0];
  if (lead <= 0xE0 || lead >= 0xED || !utf8_is_tail(bytes[1]) || !utf8_is_tail(bytes[2])) return 0;
  return (lead & 0x0F) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3F);
}

/// Passes characters that are words, as long as each is followed by what is no part of it.
static size_t pass_characters(
    const uint8_t *text, size_t count, size_t at, size_t limit, size_t *passed) {
  if (count - at < 6) return at;
  uint32_t value = of_three(text + at);
  int is = unicode_kind(value);
  while (is == KIND_ALONE && *passed < limit && count - at >= 6) {
    uint32_t next = of_three(text + at + 3);
    int then = unicode_kind(next);
    int is_part = then == KIND_ATTACHED || then == KIND_IGNORED || syllable(value, next);
    if (next == 0 || is_part) break;
    *passed += 1;
    at += 3;
    value = next;
    is = then;
  }
  return at;
}

size_t daybook_words_pass(
    const uint8_t *text, size_t count, int is_end, size_t limit, size_t *passed) {
  size_t at = 0;
  *passed = 0;
  while (*passed < limit && at < count) {
    size_t next = pass_blocks(text, count, at, limit, passed);
    if (next == at) next = pass_characters(text, count, at, limit, passed);
    if (next > at) {
      at = next;
      continue;
    }
    DaybookWord word;
    if (!daybook_word_next(text, count, at, &word)) {
      if (is_end) return count;
      // A code point may be cut by the end.
      return count - at > 3 ? count - 3 : at;
    }
    // A code point after the word may be part of it.
    if (!is_end && word.end + 4 > count) return word.start;
    *passed += 1;
    at = word.end;
  }
  return at;
}
