// As much of JSON as reading trusted interchange takes: it finds the ends of values and decodes
// strings; it does not validate.
#ifndef BASELINE_JSON_H
#define BASELINE_JSON_H

#include <stdbool.h>
#include <stddef.h>

// A value's text, quotes and brackets included; empty where there is none.
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

// Whether a string says `text`.
bool json_is(json_slice string, const char *text);
bool json_is_true(json_slice value);
// Decodes a string to UTF-8. `target` has room for the string's own length; returns what was used.
size_t json_decode(json_slice string, char *target);

#endif
