// Functions for queries of a search index: how relevant a row is, and where a snippet should be.
#ifndef DAYBOOK_PLACES_H
#define DAYBOOK_PLACES_H

#include <sqlite3.h>

/// The function `daybook_rank` of a search index; see tokens.h.
void daybook_rank(
    const Fts5ExtensionApi *api, Fts5Context *row, sqlite3_context *result, int count,
    sqlite3_value **values);

/// The function `daybook_places` of a search index; see tokens.h.
void daybook_places(
    const Fts5ExtensionApi *api, Fts5Context *row, sqlite3_context *result, int count,
    sqlite3_value **values);

#endif
