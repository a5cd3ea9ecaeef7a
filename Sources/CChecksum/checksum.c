// CRC-32C, reflected polynomial 0x82F63B78 (RFC 3720, appendix B.4).
#include "checksum.h"

#include <string.h>

static uint32_t table[256];

__attribute__((constructor)) static void fill_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
    table[i] = crc;
  }
}

uint32_t daybook_crc32c_portable(uint32_t crc, const void *bytes, size_t length) {
  const uint8_t *p = bytes;
  crc = ~crc;
  while (length--) crc = table[(crc ^ *p++) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>
__attribute__((target("sse4.2"))) static uint32_t with_instruction(
    uint32_t crc, const uint8_t *p, size_t length) {
  uint64_t state = (uint32_t)~crc;
  for (; length >= 8; p += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state = _mm_crc32_u64(state, word);
  }
  for (; length > 0; p++, length--) state = _mm_crc32_u8((uint32_t)state, *p);
  return ~(uint32_t)state;
}
uint32_t daybook_crc32c(uint32_t crc, const void *bytes, size_t length) {
  static int has_instruction = -1;
  if (has_instruction < 0) has_instruction = __builtin_cpu_supports("sse4.2") ? 1 : 0;
  return has_instruction ? with_instruction(crc, bytes, length)
                         : daybook_crc32c_portable(crc, bytes, length);
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
uint32_t daybook_crc32c(uint32_t crc, const void *bytes, size_t length) {
  const uint8_t *p = bytes;
  uint32_t state = ~crc;
  for (; length >= 8; p += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state = __crc32cd(state, word);
  }
  for (; length > 0; p++, length--) state = __crc32cb(state, *p);
  return ~state;
}
#else
uint32_t daybook_crc32c(uint32_t crc, const void *bytes, size_t length) {
  return daybook_crc32c_portable(crc, bytes, length);
}
#endif
