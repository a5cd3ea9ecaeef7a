// Code points of texts in UTF-8.
#ifndef DAYBOOK_UTF8_H
#define DAYBOOK_UTF8_H

#include <stddef.h>
#include <stdint.h>

static inline int utf8_is_tail(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/// Finds the code point at a place before the end, and returns its length in bytes; 0 if no valid
/// one begins there.
static inline uint32_t utf8_scalar(
    const uint8_t *text, size_t count, size_t at, uint32_t *scalar) {
  const uint8_t *bytes = text + at;
  size_t rest = count - at;
  uint32_t lead = bytes[0];
  if (lead < 0x80) {
    *scalar = lead;
    return 1;
  }
  if (lead < 0xE0) {
    if (lead < 0xC2 || rest < 2 || !utf8_is_tail(bytes[1])) return 0;
    *scalar = (lead & 0x1F) << 6 | (bytes[1] & 0x3F);
    return 2;
  }
  if (lead < 0xF0) {
    if (rest < 3 || !utf8_is_tail(bytes[1]) || !utf8_is_tail(bytes[2])) return 0;
    uint32_t value = (lead & 0x0F) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3F);
    if (value < 0x800 || (value >= 0xD800 && value < 0xE000)) return 0;
    *scalar = value;
    return 3;
  }
  if (lead > 0xF4 || rest < 4 || !utf8_is_tail(bytes[1]) || !utf8_is_tail(bytes[2])
      || !utf8_is_tail(bytes[3]))
    return 0;
  uint32_t value = (lead & 0x07) << 18 | (bytes[1] & 0x3Fu) << 12 | (bytes[2] & 0x3Fu) << 6
    | (bytes[3] & 0x3F);
  if (value < 0x10000 || value > 0x10FFFF) return 0;
  *scalar = value;
  return 4;
}

/// Writes a code point of three bytes, and returns its length.
static inline uint32_t utf8_write3(uint8_t *bytes, uint32_t scalar) {
  bytes[0] = (uint8_t)(0xE0 | scalar >> 12);
  bytes[1] = (uint8_t)(0x80 | (scalar >> 6 & 0x3F));
  bytes[2] = (uint8_t)(0x80 | (scalar & 0x3F));
  return 3;
}

#endif
