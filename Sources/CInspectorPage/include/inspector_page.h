#ifndef DAYBOOK_INSPECTOR_PAGE_H
#define DAYBOOK_INSPECTOR_PAGE_H

#include <stddef.h>

/// A file of the inspector's page.
typedef struct {
  const char *name;
  /// The media type.
  const char *type;
  const unsigned char *bytes;
  size_t count;
} daybook_page;

size_t daybook_page_count(void);

/// Returns a file by its number; one without a name if there is none.
daybook_page daybook_page_file(size_t number);

#endif
