// System calls that Swift's C library modules leave out.
#ifndef DAYBOOK_SYSTEM_H
#define DAYBOOK_SYSTEM_H

#include <stdint.h>

/// Starts writing a range of a file from memory to the disk. Does not wait and does not make the
/// range durable. `offset` and `count` are in bytes. Does nothing if the system has no such call.
/// Ignores errors: the next fsync reports them.
void daybook_start_writing(int descriptor, int64_t offset, int64_t count);

/// Writes a range of a file from memory to the disk and waits for it. Does not make the range
/// durable, but leaves less work to the next fsync. `offset` and `count` are in bytes. Does nothing
/// if the system has no such call. Ignores errors.
void daybook_write_out(int descriptor, int64_t offset, int64_t count);

/// Has the C library give memory back to the system soon after it was let go, and not keep a pool for each
/// thread. Affects the whole process; does nothing where the library has no such choice.
void daybook_keep_memory_small(void);

#endif
