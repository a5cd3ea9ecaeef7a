#define _GNU_SOURCE
#include "system.h"

#ifdef __GLIBC__
#include <malloc.h>

void daybook_keep_memory_small(void) {
  (void)mallopt(M_ARENA_MAX, 2);
  (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
  (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
}
#else
void daybook_keep_memory_small(void) {}
#endif

#ifdef __linux__
#include <fcntl.h>

void daybook_start_writing(int descriptor, int64_t offset, int64_t count) {
  // The kernel writes whole pages, even if the range covers only part of one.
  (void)sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

void daybook_write_out(int descriptor, int64_t offset, int64_t count) {
  (void)sync_file_range(
      descriptor, offset, count,
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}
#else
void daybook_start_writing(int descriptor, int64_t offset, int64_t count) {
  (void)descriptor;
  (void)offset;
  (void)count;
}

void daybook_write_out(int descriptor, int64_t offset, int64_t count) {
  (void)descriptor;
  (void)offset;
  (void)count;
}
#endif
