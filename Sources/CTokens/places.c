#include "places.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// The most phrases of a query that one snippet can show.
  PHRASES_MAX = 64,
  /// The most places of a row that are compared, so that a row with a million costs no more.
  STEPS_MAX = 4096,
  /// The most places that are returned.
  PLACES_MAX = 256,
};

/// One phrase of the query, and where in the row it stands.
typedef struct {
  int number;
  /// In words.
  int size;
  Fts5PhraseIter places;
  /// The place that is next; the column is negative after the last.
  int column, word;
} Phrase;

/// A phrase at its place.
typedef struct {
  int phrase;
  int column, word, size;
} Place;

/// A part of a column in which phrases stand close together.
typedef struct {
  int phrases;
  int column, first, end;
} Best;

/// Finds the phrases that occur in the row, and their first places.
static int begin(const Fts5ExtensionApi *api, Fts5Context *row, Phrase *phrases, int *count) {
  int all = api->xPhraseCount(row);
  *count = 0;
  for (int number = 0; number < all && *count < PHRASES_MAX; number++) {
    Phrase *phrase = phrases + *count;
    phrase->number = number;
    phrase->size = api->xPhraseSize(row, number);
    int code =
      api->xPhraseFirst(row, number, &phrase->places, &phrase->column, &phrase->word);
    if (code != SQLITE_OK) return code;
    if (phrase->column >= 0 && phrase->size > 0) *count += 1;
  }
  return SQLITE_OK;
}

/// Takes the place that comes first of all. Returns 0 after the last.
static int next(
    const Fts5ExtensionApi *api, Fts5Context *row, Phrase *phrases, int count, Place *place) {
  Phrase *first = NULL;
  for (Phrase *phrase = phrases; phrase < phrases + count; phrase++) {
    if (phrase->column < 0) continue;
    if (!first || phrase->column < first->column
        || (phrase->column == first->column && phrase->word < first->word)) {
      first = phrase;
    }
  }
  if (!first) return 0;
  *place = (Place){(int)(first - phrases), first->column, first->word, first->size};
  api->xPhraseNext(row, &first->places, &first->column, &first->word);
  return 1;
}

/// Finds the first part of `reach` words that has the most different phrases.
static Best best_part(
    const Fts5ExtensionApi *api, Fts5Context *row, Phrase *phrases, int count, int reach) {
  Best best = {0, -1, 0, 0};
  /// The last places, around the end of the array.
  Place window[PLACES_MAX];
  int counts[PHRASES_MAX] = {0};
  int from = 0, length = 0, different = 0;
  Place place;
  for (int step = 0; step < STEPS_MAX && best.phrases < count; step++) {
    if (!next(api, row, phrases, count, &place)) break;
    while (length > 0) {
      Place oldest = window[from];
      if (oldest.column == place.column && place.word + place.size - oldest.word <= reach
          && length < PLACES_MAX) {
        break;
      }
      if (--counts[oldest.phrase] == 0) different--;
      from = (from + 1) % PLACES_MAX;
      length--;
    }
    window[(from + length) % PLACES_MAX] = place;
    length++;
    if (counts[place.phrase]++ == 0) different++;
    if (different > best.phrases) {
      best = (Best){different, place.column, window[from].word, place.word + place.size};
    }
  }
  return best;
}

static int by_word(const void *a, const void *b) {
  const int32_t *first = a, *second = b;
  return first[0] != second[0] ? (first[0] < second[0] ? -1 : 1)
                               : (first[1] > second[1]) - (first[1] < second[1]);
}

/// Adds all places within the reach of the best part, in the order of the text.
static int places_around(
    const Fts5ExtensionApi *api, Fts5Context *row, Best best, int reach, int32_t *pairs) {
  Phrase phrases[PHRASES_MAX];
  int count = 0, found = 0;
  if (begin(api, row, phrases, &count) != SQLITE_OK) return 0;
  for (Phrase *phrase = phrases; phrase < phrases + count; phrase++) {
    // Places behind these were not reached before.
    while (phrase->column >= 0 && phrase->column <= best.column && found < PLACES_MAX) {
      if (phrase->column == best.column) {
        if (phrase->word >= best.end + reach) break;
        if (phrase->word + phrase->size > best.first - reach) {
          pairs[2 * found] = phrase->word;
          pairs[2 * found + 1] = phrase->size;
          found++;
        }
      }
      api->xPhraseNext(row, &phrase->places, &phrase->column, &phrase->word);
    }
  }
  qsort(pairs, (size_t)found, 2 * sizeof *pairs, by_word);
  return found;
}

void daybook_places(
    const Fts5ExtensionApi *api, Fts5Context *row, sqlite3_context *result, int count,
    sqlite3_value **values) {
  int reach = count == 1 ? sqlite3_value_int(values[0]) : 0;
  if (reach <= 0) {
    sqlite3_result_error(result, "daybook_places needs a number of words", -1);
    return;
  }
  Phrase phrases[PHRASES_MAX];
  int known = 0;
  int code = begin(api, row, phrases, &known);
  if (code != SQLITE_OK) {
    sqlite3_result_error_code(result, code);
    return;
  }
  int32_t found[3 + 2 * PLACES_MAX];
  Best best = best_part(api, row, phrases, known, reach);
  int pairs = 0;
  if (best.column >= 0) {
    found[0] = best.column;
    found[1] = best.first;
    found[2] = best.end;
    pairs = places_around(api, row, best, reach, found + 3);
  }
  int size = pairs == 0 ? 0 : (int)sizeof *found * (3 + 2 * pairs);
  sqlite3_result_blob(result, found, size, SQLITE_TRANSIENT);
}
