#include <sqlite3.h>
#include <string.h>

#include "fold.h"
#include "places.h"
#include "words.h"

typedef int (*TokenCallback)(void *, int, const char *, int, int, int);

/// The tokenizer of words as they stand, or SQLite's stemmer around one.
typedef struct {
  fts5_tokenizer stemmer;
  Fts5Tokenizer *stemmed;
  Folded folded;
} Tokens;

static int tokens_create(void *pointer, const char **arguments, int count, Fts5Tokenizer **made) {
  fts5_api *api = pointer;
  int is_stemmed = count == 0;
  if (!is_stemmed && (count != 1 || strcmp(arguments[0], "words") != 0)) return SQLITE_ERROR;
  Tokens *tokens = sqlite3_malloc(sizeof *tokens);
  if (!tokens) return SQLITE_NOMEM;
  memset(tokens, 0, sizeof *tokens);
  if (is_stemmed) {
    const char *inner[] = {"daybook", "words"};
    void *context = NULL;
    int code = api->xFindTokenizer(api, "porter", &context, &tokens->stemmer);
    if (code == SQLITE_OK) code = tokens->stemmer.xCreate(context, inner, 2, &tokens->stemmed);
    if (code != SQLITE_OK) {
      sqlite3_free(tokens);
      return code;
    }
  }
  *made = (Fts5Tokenizer *)tokens;
  return SQLITE_OK;
}

static void tokens_delete(Fts5Tokenizer *pointer) {
  Tokens *tokens = (Tokens *)pointer;
  if (tokens->stemmed) tokens->stemmer.xDelete(tokens->stemmed);
  sqlite3_free(tokens);
}

static int tokens_split(
    Fts5Tokenizer *pointer, void *context, int flags, const char *text, int count,
    TokenCallback callback) {
  Tokens *tokens = (Tokens *)pointer;
  if (tokens->stemmed) {
    return tokens->stemmer.xTokenize(tokens->stemmed, context, flags, text, count, callback);
  }
  if (!text || count <= 0) return SQLITE_OK;
  DaybookWord word = {0, 0, 0};
  Folded *folded = &tokens->folded;
  int code = SQLITE_OK;
  while (code == SQLITE_OK
         && word_next((const uint8_t *)text, (size_t)count, word.end, &word, folded)) {
    code = callback(
      context, 0, (const char *)folded->bytes, (int)folded->count, (int)word.start,
      (int)word.end);
  }
  return code;
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
  code = api->xCreateTokenizer(api, "daybook", api, &tokenizer, NULL);
  if (code != SQLITE_OK) return code;
  code = sqlite3_create_function_v2(
    db, "daybook_key_1", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
    daybook_key_1, NULL, NULL, NULL);
  if (code != SQLITE_OK) return code;
  code = api->xCreateFunction(api, "daybook_rank", NULL, daybook_rank, NULL);
  if (code != SQLITE_OK) return code;
  return api->xCreateFunction(api, "daybook_places", NULL, daybook_places, NULL);
}
