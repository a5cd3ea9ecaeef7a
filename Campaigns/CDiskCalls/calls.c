#define _GNU_SOURCE
#include "calls.h"

#include <stdatomic.h>

static _Atomic(daybook_call_before) observer_before;
static _Atomic(daybook_call_after) observer_after;

void daybook_calls_observe(daybook_call_before before, daybook_call_after after) {
  atomic_store(&observer_before, before);
  atomic_store(&observer_after, after);
}

#if defined(__linux__) && defined(__x86_64__) || defined(__linux__) && defined(__aarch64__)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int daybook_calls_are_seen(void) { return 1; }

static _Thread_local int is_observing;

/// Calls the observer, if there is one.
///
/// Returns 0 if the call must fail, with errno set.
static int begin(daybook_call *call, uint64_t *token) {
  daybook_call_before observe = atomic_load(&observer_before);
  *token = 0;
  if (!observe || is_observing) return 1;
  int error = errno;
  is_observing = 1;
  *token = observe(call);
  is_observing = 0;
  errno = call->error ? call->error : error;
  return call->error == 0;
}

/// Tells the observer about a call that succeeded, and returns `result`.
static long after(const daybook_call *call, uint64_t token, long result) {
  daybook_call_after observe = atomic_load(&observer_after);
  if (!observe || is_observing || result < 0) return result;
  int error = errno;
  is_observing = 1;
  observe(call, token);
  is_observing = 0;
  errno = error;
  return result;
}

static int is_seen(void) { return atomic_load(&observer_before) != 0 && !is_observing; }

static int open_file(const char *path, int flags, mode_t mode) {
  daybook_call call = {.kind = DAYBOOK_CALL_OPEN,
                       .descriptor = -1,
                       .path = path,
                       .empties = (flags & O_TRUNC) != 0,
                       .creates = (flags & O_CREAT) != 0};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  int result = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  call.descriptor = result;
  return (int)after(&call, token, result);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_file(path, flags, mode);
}

/// - offset: -1 to read at the file's own position.
static ssize_t read_file(int descriptor, void *bytes, size_t count, off_t offset) {
  daybook_call call = {
      .kind = DAYBOOK_CALL_READ, .descriptor = descriptor, .offset = offset, .count = count};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  return offset < 0 ? syscall(SYS_read, descriptor, bytes, count)
                    : syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  return read_file(descriptor, bytes, count, -1);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return read_file(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
  return read_file(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (!is_seen()) return syscall(SYS_write, descriptor, bytes, count);
  daybook_call call = {.kind = DAYBOOK_CALL_WRITE,
                       .descriptor = descriptor,
                       .offset = syscall(SYS_lseek, descriptor, 0, SEEK_CUR),
                       .bytes = bytes,
                       .count = count};
  // A descriptor without a position is not a file, and the observer is not told.
  if (call.offset < 0) return syscall(SYS_write, descriptor, bytes, count);
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  long result = syscall(SYS_write, descriptor, bytes, call.count);
  if (result >= 0) call.count = (size_t)result;
  return after(&call, token, result);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  daybook_call call = {.kind = DAYBOOK_CALL_WRITE,
                       .descriptor = descriptor,
                       .offset = offset,
                       .bytes = bytes,
                       .count = count};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  long result = syscall(SYS_pwrite64, descriptor, bytes, call.count, offset);
  if (result >= 0) call.count = (size_t)result;
  return after(&call, token, result);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

static int sync_file(long number, int descriptor) {
  daybook_call call = {.kind = DAYBOOK_CALL_SYNC, .descriptor = descriptor};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  return (int)after(&call, token, syscall(number, descriptor));
}

int fsync(int descriptor) { return sync_file(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return sync_file(SYS_fdatasync, descriptor); }

int ftruncate(int descriptor, off_t size) {
  daybook_call call = {.kind = DAYBOOK_CALL_RESIZE, .descriptor = descriptor, .offset = size};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  return (int)after(&call, token, syscall(SYS_ftruncate, descriptor, size));
}

int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

static int grow(int descriptor, off_t offset, off_t count) {
  daybook_call call = {
      .kind = DAYBOOK_CALL_GROW, .descriptor = descriptor, .offset = offset + count};
  uint64_t token;
  if (!begin(&call, &token)) return errno;
  long result = after(&call, token, syscall(SYS_fallocate, descriptor, 0, offset, count));
  return result < 0 ? errno : 0;
}

int posix_fallocate(int descriptor, off_t offset, off_t count) {
  return grow(descriptor, offset, count);
}
int posix_fallocate64(int descriptor, off_t offset, off_t count) {
  return grow(descriptor, offset, count);
}

int rename(const char *old, const char *new) {
  daybook_call call = {
      .kind = DAYBOOK_CALL_RENAME, .descriptor = -1, .path = old, .target = new};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  return (int)after(&call, token, syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0));
}

int unlink(const char *path) {
  daybook_call call = {.kind = DAYBOOK_CALL_REMOVE, .descriptor = -1, .path = path};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  return (int)after(&call, token, syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int mkdir(const char *path, mode_t mode) {
  daybook_call call = {.kind = DAYBOOK_CALL_MAKE_FOLDER, .descriptor = -1, .path = path};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  return (int)after(&call, token, syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

int rmdir(const char *path) {
  daybook_call call = {.kind = DAYBOOK_CALL_REMOVE, .descriptor = -1, .path = path};
  uint64_t token;
  if (!begin(&call, &token)) return -1;
  return (int)after(&call, token, syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

/// Returns 0 if the call must fail, with errno set.
static int may_look(const char *path) {
  daybook_call call = {.kind = DAYBOOK_CALL_LOOK, .descriptor = -1, .path = path};
  uint64_t token;
  return begin(&call, &token);
}

static int look(int folder, const char *path, struct stat *status, int flags) {
  if (!may_look(path)) return -1;
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}

int stat(const char *path, struct stat *status) { return look(AT_FDCWD, path, status, 0); }
int lstat(const char *path, struct stat *status) {
  return look(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int fstatat(int folder, const char *path, struct stat *status, int flags) {
  return look(folder, path, status, flags);
}
// On systems with 64-bit file sizes, stat64 has the same layout as stat.
int stat64(const char *path, struct stat64 *status) {
  return look(AT_FDCWD, path, (struct stat *)status, 0);
}
int lstat64(const char *path, struct stat64 *status) {
  return look(AT_FDCWD, path, (struct stat *)status, AT_SYMLINK_NOFOLLOW);
}
int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
  return look(folder, path, (struct stat *)status, flags);
}

int access(const char *path, int mode) {
  return may_look(path) ? (int)syscall(SYS_faccessat, AT_FDCWD, path, mode) : -1;
}

DIR *opendir(const char *path) {
  if (!may_look(path)) return NULL;
  int descriptor =
      (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK, 0);
  return descriptor < 0 ? NULL : fdopendir(descriptor);
}

#else

int daybook_calls_are_seen(void) { return 0; }

#endif
