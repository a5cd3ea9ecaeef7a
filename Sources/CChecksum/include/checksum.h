// CRC-32C (Castagnoli): the one computation that Swift cannot express with the CPU's instruction.
#ifndef DAYBOOK_CHECKSUM_H
#define DAYBOOK_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Continues a CRC-32C over `length` bytes. `crc` is 0 at the start, or the result so far.
uint32_t daybook_crc32c(uint32_t crc, const void *bytes, size_t length);

/// Continues a CRC-32C by table, without the CPU's instruction. Tests compare the two results.
uint32_t daybook_crc32c_portable(uint32_t crc, const void *bytes, size_t length);

#endif
