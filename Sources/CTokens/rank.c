#include <math.h>
#include <string.h>

#include "places.h"

/// What the relevance of all rows has in common.
typedef struct {
  /// The words of a row on average.
  double words;
  int phrases;
  /// For each phrase its weight, by the number of rows that have it; then room for the occurrences
  /// in one row.
  double values[];
} Common;

static int count_row(const Fts5ExtensionApi *api, Fts5Context *row, void *count) {
  (void)api, (void)row;
  *(sqlite3_int64 *)count += 1;
  return SQLITE_OK;
}

/// Returns what all rows have in common, which is computed for the first one.
static int common(const Fts5ExtensionApi *api, Fts5Context *row, Common **result) {
  *result = api->xGetAuxdata(row, 0);
  if (*result) return SQLITE_OK;
  int phrases = api->xPhraseCount(row);
  Common *made = sqlite3_malloc64(sizeof *made + 2 * sizeof(double) * (sqlite3_uint64)phrases);
  if (!made) return SQLITE_NOMEM;
  made->phrases = phrases;
  sqlite3_int64 rows = 0, words = 0;
  int code = api->xRowCount(row, &rows);
  if (code == SQLITE_OK) code = api->xColumnTotalSize(row, -1, &words);
  made->words = rows > 0 && words > 0 ? (double)words / (double)rows : 1;
  for (int i = 0; code == SQLITE_OK && i < phrases; i++) {
    sqlite3_int64 found = 0;
    code = api->xQueryPhrase(row, i, &found, count_row);
    double weight = log(((double)(rows - found) + 0.5) / ((double)found + 0.5));
    // What more than half of the rows have still counts a little.
    made->values[i] = weight > 0 ? weight : 1e-6;
  }
  if (code == SQLITE_OK) code = api->xSetAuxdata(row, made, sqlite3_free);
  // `xSetAuxdata` frees what it cannot keep.
  else sqlite3_free(made);
  *result = code == SQLITE_OK ? made : NULL;
  return code;
}

void daybook_rank(
    const Fts5ExtensionApi *api, Fts5Context *row, sqlite3_context *result, int count,
    sqlite3_value **values) {
  const double k1 = 1.2, b = 0.75;
  Common *all;
  int words = 0;
  int code = common(api, row, &all);
  if (code == SQLITE_OK) code = api->xColumnSize(row, -1, &words);
  double sum = 0;
  for (int i = 0; code == SQLITE_OK && i < all->phrases; i++) {
    double occurrences = 0;
    Fts5PhraseIter places;
    int column, word;
    code = api->xPhraseFirst(row, i, &places, &column, &word);
    while (code == SQLITE_OK && column >= 0) {
      // Places of one column come together.
      int from = column, found = 0;
      for (; column == from; found++) api->xPhraseNext(row, &places, &column, &word);
      occurrences += found * (from < count ? sqlite3_value_double(values[from]) : 1);
    }
    double length = 1 - b + b * words / all->words;
    sum += all->values[i] * (occurrences * (k1 + 1)) / (occurrences + k1 * length);
  }
  if (code != SQLITE_OK) {
    sqlite3_result_error_code(result, code);
  } else {
    sqlite3_result_double(result, -sum);
  }
}
