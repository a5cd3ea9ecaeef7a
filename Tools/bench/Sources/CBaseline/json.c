#include "json.h"

#include <stdint.h>
#include <string.h>

static const char *skip_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
  return at;
}

// Returns the end of a string that starts at `at`, or NULL.
static const char *string_end(const char *at, const char *end) {
  for (at++; at < end; at++) {
    if (*at == '\\')
      at++;
    else if (*at == '"')
      return at + 1;
  }
  return NULL;
}

static const char *value_end(const char *at, const char *end) {
  if (at >= end) return NULL;
  if (*at == '"') return string_end(at, end);
  if (*at != '{' && *at != '[') {
    const char *start = at;
    while (at < end && !memchr(",}] \t\r\n", *at, 7)) at++;
    return at > start ? at : NULL;
  }
  int depth = 0;
  while (at < end) {
    char c = *at;
    if (c == '"') {
      at = string_end(at, end);
      if (!at) return NULL;
      continue;
    }
    at++;
    if (c == '{' || c == '[') depth++;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return NULL;
}

json_walker json_walk(json_slice container) {
  bool sound = container.length >= 2 && (*container.start == '{' || *container.start == '[');
  json_walker walker = {NULL, NULL, !sound};
  if (sound) {
    walker.next = container.start + 1;
    walker.end = container.start + container.length - 1;
  }
  return walker;
}

static bool next_value(json_walker *walker, json_slice *value) {
  const char *start = skip_space(walker->next, walker->end);
  const char *end = value_end(start, walker->end);
  walker->failed = !end;
  if (!end) return false;
  value->start = start;
  value->length = (size_t)(end - start);
  walker->next = skip_space(end, walker->end);
  return true;
}

static void skip_comma(json_walker *walker) {
  if (walker->next < walker->end && *walker->next == ',') walker->next++;
}

static bool at_end(json_walker *walker) {
  if (walker->failed) return true;
  walker->next = skip_space(walker->next, walker->end);
  return walker->next == walker->end;
}

bool json_next_element(json_walker *walker, json_slice *value) {
  if (at_end(walker) || !next_value(walker, value)) return false;
  skip_comma(walker);
  return true;
}

bool json_next_member(json_walker *walker, json_slice *key, json_slice *value) {
  if (at_end(walker) || !next_value(walker, key)) return false;
  if (*key->start != '"' || walker->next >= walker->end || *walker->next != ':') {
    walker->failed = true;
    return false;
  }
  walker->next++;
  if (!next_value(walker, value)) return false;
  skip_comma(walker);
  return true;
}

bool json_is_true(json_slice value) {
  return value.length == 4 && memcmp(value.start, "true", 4) == 0;
}

static uint32_t hexadecimal(const char *digits) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) {
    char c = digits[i];
    value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

static char *put_utf8(char *to, uint32_t scalar) {
  if (scalar < 0x80) {
    *to++ = (char)scalar;
    return to;
  }
  if (scalar < 0x800) {
    *to++ = (char)(0xC0 | scalar >> 6);
  } else {
    if (scalar < 0x10000) {
      *to++ = (char)(0xE0 | scalar >> 12);
    } else {
      *to++ = (char)(0xF0 | scalar >> 18);
      *to++ = (char)(0x80 | (scalar >> 12 & 0x3F));
    }
    *to++ = (char)(0x80 | (scalar >> 6 & 0x3F));
  }
  *to++ = (char)(0x80 | (scalar & 0x3F));
  return to;
}

size_t json_decode(json_slice string, char *target) {
  const char *at = string.start + 1, *end = string.start + string.length - 1;
  char *to = target;
  while (at < end) {
    if (*at != '\\') {
      const char *escape = memchr(at, '\\', (size_t)(end - at));
      size_t run = (size_t)((escape ? escape : end) - at);
      memcpy(to, at, run);
      to += run;
      at += run;
      continue;
    }
    char c = at[1];
    at += 2;
    switch (c) {
    case 'n': *to++ = '\n'; break;
    case 't': *to++ = '\t'; break;
    case 'r': *to++ = '\r'; break;
    case 'b': *to++ = '\b'; break;
    case 'f': *to++ = '\f'; break;
    case 'u': {
      if (end - at < 4) return (size_t)(to - target);
      uint32_t scalar = hexadecimal(at);
      at += 4;
      // A character beyond the basic plane is written as two escapes.
      if (scalar >> 10 == 0xD800 >> 10 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (hexadecimal(at + 2) & 0x3FF);
        at += 6;
      }
      to = put_utf8(to, scalar);
      break;
    }
    default: *to++ = c;
    }
  }
  return (size_t)(to - target);
}

bool json_is(json_slice string, const char *text) {
  size_t length = strlen(text);
  if (string.length == length + 2) return memcmp(string.start + 1, text, length) == 0;
  // An escaped name is longer than its text. Names are short.
  char decoded[512];
  if (string.length < length + 2 || string.length > sizeof decoded) return false;
  if (!memchr(string.start, '\\', string.length)) return false;
  return json_decode(string, decoded) == length && memcmp(decoded, text, length) == 0;
}
