// Calls of the system that Swift's C library modules leave out.
#ifndef DAYBOOK_SYSTEM_H
#define DAYBOOK_SYSTEM_H

#include <stdint.h>

/// Begins to write a range of a file from memory to the disk, without waiting and without making it
/// durable. Does nothing where the system has no such call, and ignores what goes wrong: the next
/// fsync finds it.
void daybook_start_writing(int descriptor, int64_t offset, int64_t count);

#endif
