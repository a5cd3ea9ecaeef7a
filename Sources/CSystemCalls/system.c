#define _GNU_SOURCE
#include "system.h"

#ifdef __linux__
#include <fcntl.h>

void daybook_start_writing(int descriptor, int64_t offset, int64_t count) {
  // Whole pages are written, whatever part of them is named.
  (void)sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}
#else
void daybook_start_writing(int descriptor, int64_t offset, int64_t count) {
  (void)descriptor;
  (void)offset;
  (void)count;
}
#endif
