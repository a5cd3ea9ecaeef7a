#include "tokens.h"

#include <sqlite3.h>
#include <string.h>

typedef struct {
  uint32_t first, last;
} Range;

/// Ranges of code points that are tokens of their own, ascending.
static const Range unspaced[] = {
  {0x0E01, 0x0E3E},   {0x0E40, 0x0E4E},   {0x0E50, 0x0E59},                      // Thai
  {0x0E80, 0x0EFF},                                                              // Lao
  {0x0F00, 0x0F00},   {0x0F18, 0x0F39},   {0x0F3E, 0x0F84},   {0x0F86, 0x0FBD},  // Tibetan
  {0x1000, 0x1049},   {0x1050, 0x109F},                                          // Burmese
  {0x1100, 0x11FF},                                                              // Hangul
  {0x1780, 0x17D3},   {0x17D7, 0x17D7},   {0x17DC, 0x17FF},                      // Khmer
  {0x1950, 0x19DF},   {0x1A20, 0x1A9F},                                          // Tai scripts
  {0x2E80, 0x2FDF},   {0x3005, 0x3007},   {0x3021, 0x3029},   {0x3031, 0x3035},
  {0x3038, 0x303B},                                                              // Han
  {0x3041, 0x309F},   {0x30A1, 0x30FA},   {0x30FC, 0x30FF},                      // Kana
  {0x3105, 0x318E},   {0x31A0, 0x31BF},   {0x31F0, 0x31FF},
  {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},                                          // Han
  {0xA000, 0xA48C},                                                              // Yi
  {0xA960, 0xA97C},   {0xA9E0, 0xA9FE},   {0xAA60, 0xAADD},
  {0xAC00, 0xD7FB},                                                              // Hangul
  {0xF900, 0xFAFF},   {0xFF66, 0xFFDC},
  {0x1AFF0, 0x1B16F}, {0x20000, 0x3FFFF},
};

int daybook_is_unspaced(uint32_t scalar) {
  size_t low = 0, high = sizeof unspaced / sizeof *unspaced;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (scalar > unspaced[middle].last) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < sizeof unspaced / sizeof *unspaced && scalar >= unspaced[low].first;
}

/// The first UTF-8 byte of the smallest code point in `unspaced`.
enum { UNSPACED_LEAD = 0xE0 };

/// Returns the code point at the beginning of `bytes`, and its length in bytes in `*length`. A byte
/// that begins no valid UTF-8 sequence counts as one byte that belongs to no script.
static uint32_t scalar_at(const unsigned char *bytes, int count, int *length) {
  unsigned char lead = bytes[0];
  int size = lead < 0xE0 ? 1 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 1;
  *length = 1;
  if (size == 1 || size > count) return lead;
  uint32_t scalar = size == 3 ? lead & 0x0F : lead & 0x07;
  for (int i = 1; i < size; i++) {
    if ((bytes[i] & 0xC0) != 0x80) return lead;
    scalar = scalar << 6 | (bytes[i] & 0x3F);
  }
  *length = size;
  return scalar;
}

typedef int (*TokenCallback)(void *, int, const char *, int, int, int);

typedef struct {
  fts5_tokenizer words;
  Fts5Tokenizer *instance;
} Tokens;

/// The receiver of the words found in one part of a text.
typedef struct {
  void *context;
  TokenCallback callback;
  int offset;
} Part;

static int tokens_create(void *pointer, const char **arguments, int count, Fts5Tokenizer **made) {
  fts5_api *api = pointer;
  int is_stemmed = count == 0;
  if (!is_stemmed && (count != 1 || strcmp(arguments[0], "words") != 0)) return SQLITE_ERROR;
  Tokens *tokens = sqlite3_malloc(sizeof *tokens);
  if (!tokens) return SQLITE_NOMEM;
  memset(tokens, 0, sizeof *tokens);
  const char *inner[] = {"unicode61", "remove_diacritics", "2"};
  void *context = NULL;
  int code = api->xFindTokenizer(
    api, is_stemmed ? "porter" : inner[0], &context, &tokens->words);
  if (code == SQLITE_OK) {
    code = tokens->words.xCreate(
      context, is_stemmed ? inner : inner + 1, is_stemmed ? 3 : 2, &tokens->instance);
  }
  if (code != SQLITE_OK) {
    sqlite3_free(tokens);
    return code;
  }
  *made = (Fts5Tokenizer *)tokens;
  return SQLITE_OK;
}

static void tokens_delete(Fts5Tokenizer *pointer) {
  Tokens *tokens = (Tokens *)pointer;
  tokens->words.xDelete(tokens->instance);
  sqlite3_free(tokens);
}

static int part_token(
    void *pointer, int flags, const char *token, int length, int start, int end) {
  Part *part = pointer;
  return part->callback(
    part->context, flags, token, length, start + part->offset, end + part->offset);
}

static int tokens_split(
    Fts5Tokenizer *pointer, void *context, int flags, const char *text, int count,
    TokenCallback callback) {
  Tokens *tokens = (Tokens *)pointer;
  const unsigned char *bytes = (const unsigned char *)text;
  int begin = 0, at = 0, code = SQLITE_OK;
  while (code == SQLITE_OK && at < count) {
    if (bytes[at] < UNSPACED_LEAD) {
      at++;
      continue;
    }
    int length;
    if (!daybook_is_unspaced(scalar_at(bytes + at, count - at, &length))) {
      at += length;
      continue;
    }
    if (begin < at) {
      Part part = {context, callback, begin};
      code = tokens->words.xTokenize(
        tokens->instance, &part, flags, text + begin, at - begin, part_token);
    }
    if (code == SQLITE_OK) code = callback(context, 0, text + at, length, at, at + length);
    at += length;
    begin = at;
  }
  if (code != SQLITE_OK || begin == count) return code;
  if (begin == 0) {
    return tokens->words.xTokenize(tokens->instance, context, flags, text, count, callback);
  }
  Part part = {context, callback, begin};
  return tokens->words.xTokenize(
    tokens->instance, &part, flags, text + begin, count - begin, part_token);
}

int daybook_tokens_register(sqlite3 *db) {
  fts5_api *api = NULL;
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &query, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_pointer(query, 1, &api, "fts5_api_ptr", NULL);
  sqlite3_step(query);
  code = sqlite3_finalize(query);
  if (code != SQLITE_OK) return code;
  if (!api) return SQLITE_ERROR;
  void *context = NULL;
  fts5_tokenizer tokenizer = {tokens_create, tokens_delete, tokens_split};
  // FTS5 keeps every tokenizer that was ever registered: do not register it twice.
  fts5_tokenizer known;
  if (api->xFindTokenizer(api, "daybook", &context, &known) == SQLITE_OK
      && known.xTokenize == tokens_split) {
    return SQLITE_OK;
  }
  return api->xCreateTokenizer(api, "daybook", api, &tokenizer, NULL);
}
