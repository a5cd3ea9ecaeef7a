// Calls of the system that Swift's C library modules leave out.
#ifndef DAYBOOK_SYSTEM_H
#define DAYBOOK_SYSTEM_H

#include <stdint.h>

/// Begins to write a range of a file from memory to the disk, without waiting and without making it
/// durable. Does nothing where the system has no such call, and ignores what goes wrong: the next
/// fsync finds it.
void daybook_start_writing(int descriptor, int64_t offset, int64_t count);

/// Writes a range of a file from memory to the disk and waits for that, without making it durable: an fsync
/// that follows has less to do. Does nothing where the system has no such call, and ignores what goes wrong.
void daybook_write_out(int descriptor, int64_t offset, int64_t count);

/// Begins to watch folders. Returns a descriptor, or -1 where the system does not tell of changes.
int daybook_watch_open(void);

/// Watches the names in a folder; once more does no harm. Ignores what goes wrong.
void daybook_watch_add(int descriptor, const char *path);

/// Waits so many milliseconds at most. Returns 1 as soon as a name in a watched folder has changed,
/// and takes all that is known of by then; else 0. With -1 it only waits.
int daybook_watch_wait(int descriptor, int milliseconds);

void daybook_watch_close(int descriptor);

/// Has the C library give memory back to the system soon after it was let go, and not keep a pool for each
/// thread. Affects the whole process; does nothing where the library has no such choice.
void daybook_keep_memory_small(void);

#endif
