#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#include <sys/time.h>
#include <uuid/uuid.h>

void daybook_boot(char *text, int size) {
  size_t length = (size_t)size;
  if (sysctlbyname("kern.bootsessionuuid", text, &length, NULL, 0) != 0) text[0] = 0;
}

void daybook_machine(char *text, int size) {
  uuid_t id;
  struct timespec at_once = {0, 0};
  text[0] = 0;
  if (size >= 37 && gethostuuid(id, &at_once) == 0) uuid_unparse(id, text);
}

uint64_t daybook_process_space(void) { return 0; }

int64_t daybook_process_start(int32_t process) {
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, process};
  struct kinfo_proc info;
  size_t size = sizeof info;
  if (sysctl(name, 4, &info, &size, NULL, 0) != 0) return -1;
  if (size == 0 || info.kp_proc.p_stat == SZOMB) return 0;
  struct timeval start = info.kp_proc.p_starttime;
  return (int64_t)start.tv_sec * 1000000 + start.tv_usec;
}

void daybook_look_again(const char *path) { (void)path; }

#elif defined(__linux__)

/// Reads the beginning of a file, and ends it with a zero. Returns its length, or -1.
static int read_text(const char *path, char *text, int size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  text[0] = 0;
  if (file < 0) return -1;
  ssize_t count = read(file, text, (size_t)size - 1);
  int error = errno;
  (void)close(file);
  errno = error;
  text[count < 0 ? 0 : count] = 0;
  return (int)count;
}

void daybook_boot(char *text, int size) {
  (void)read_text("/proc/sys/kernel/random/boot_id", text, size);
}

void daybook_machine(char *text, int size) {
  int length = read_text("/etc/machine-id", text, size);
  // Copies of a machine may have its id, so its name counts, too.
  if (length > 0 && gethostname(text + length, (size_t)(size - length)) != 0) text[length] = 0;
  text[size - 1] = 0;
}

uint64_t daybook_process_space(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

int64_t daybook_process_start(int32_t process) {
  char path[32], text[1024];
  (void)snprintf(path, sizeof path, "/proc/%d/stat", process);
  if (read_text(path, text, sizeof text) <= 0) {
    return kill(process, 0) != 0 && errno == ESRCH ? 0 : -1;
  }
  // A program's name may contain anything, and is in parentheses. The state follows, then numbers.
  char *next = strrchr(text, ')');
  if (!next || next[1] != ' ') return -1;
  if (next[2] == 'Z' || next[2] == 'X') return 0;
  next += 2;
  for (int i = 0; i < 19 && next; i++) {
    next = strchr(next, ' ');
    if (next) next++;
  }
  long long start = next ? strtoll(next, NULL, 10) : 0;
  return start > 0 ? start : -1;
}

void daybook_look_again(const char *path) {
#if defined(AT_STATX_FORCE_SYNC) && defined(STATX_BASIC_STATS)
  struct statx status;
  (void)statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &status);
#else
  (void)path;
#endif
}

#else
void daybook_boot(char *text, int size) { (void)size, text[0] = 0; }
void daybook_machine(char *text, int size) { (void)size, text[0] = 0; }
uint64_t daybook_process_space(void) { return 0; }
int64_t daybook_process_start(int32_t process) { return (void)process, -1; }
void daybook_look_again(const char *path) { (void)path; }
#endif
