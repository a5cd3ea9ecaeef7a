#define _GNU_SOURCE
#include "system.h"

#include <poll.h>
#include <stddef.h>
#include <unistd.h>

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
#include <sys/inotify.h>

void daybook_start_writing(int descriptor, int64_t offset, int64_t count) {
  // The kernel writes whole pages, even if the range covers only part of one.
  (void)sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

void daybook_write_out(int descriptor, int64_t offset, int64_t count) {
  (void)sync_file_range(
      descriptor, offset, count,
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

int daybook_watch_open(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

void daybook_watch_add(int descriptor, const char *path) {
  if (descriptor < 0) return;
  (void)inotify_add_watch(
      descriptor, path, IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE);
}

int daybook_watch_wait(int descriptor, int milliseconds) {
  struct pollfd event = {.fd = descriptor, .events = POLLIN};
  if (descriptor < 0) {
    (void)poll(NULL, 0, milliseconds);
    return 0;
  }
  if (poll(&event, 1, milliseconds) <= 0) return 0;
  char buffer[4096];
  while (read(descriptor, buffer, sizeof buffer) > 0) {
  }
  return 1;
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

int daybook_watch_open(void) { return -1; }

void daybook_watch_add(int descriptor, const char *path) {
  (void)descriptor;
  (void)path;
}

int daybook_watch_wait(int descriptor, int milliseconds) {
  (void)descriptor;
  (void)poll(NULL, 0, milliseconds);
  return 0;
}
#endif

void daybook_watch_close(int descriptor) {
  if (descriptor >= 0) (void)close(descriptor);
}
