// Reads JSON as far as trusted interchange needs: it finds the ends of values and decodes strings.
// It does not validate.
#ifndef BASELINE_JSON_H
#define BASELINE_JSON_H

#include <stdbool.h>
#include <stddef.h>

// A value's text, with its quotes or brackets; empty if there is no value.
typedef struct {
  const char *start;
  size_t length;
} json_slice;

// Steps through the members of an object or the elements of an array.
typedef struct {
  const char *next;
  const char *end;
  bool failed;
} json_walker;

json_walker json_walk(json_slice container);
bool json_next_member(json_walker *walker, json_slice *key, json_slice *value);
bool json_next_element(json_walker *walker, json_slice *value);

// Whether a string equals `text`.
bool json_is(json_slice string, const char *text);
bool json_is_true(json_slice value);
// Decodes a string to UTF-8, and returns the number of bytes written. `target` must have space for
// the string's own length.
size_t json_decode(json_slice string, char *target);

#endif
