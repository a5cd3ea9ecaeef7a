#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <fcntl.h>
#include <sys/event.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/stat.h>

/// A file or folder that is watched. kqueue needs it open.
struct watched {
  int descriptor;
  dev_t device;
  ino_t number;
};

struct daybook_watch {
  int queue;
  struct watched *files;
  int count;
};

daybook_watch *daybook_watch_open(void) {
  daybook_watch *watch = calloc(1, sizeof *watch);
  if (!watch) return NULL;
  watch->queue = kqueue();
  struct kevent end;
  EV_SET(&end, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
  if (watch->queue >= 0 && kevent(watch->queue, &end, 1, NULL, 0, NULL) == 0) return watch;
  int error = errno;
  daybook_watch_close(watch);
  errno = error;
  return NULL;
}

/// Watches an open file. Returns 0, or -1 and sets errno.
static int add_file(daybook_watch *watch, int descriptor, const struct stat *status, int what) {
  struct watched *files = realloc(watch->files, (size_t)(watch->count + 1) * sizeof *files);
  if (!files) return -1;
  watch->files = files;
  struct kevent event;
  unsigned changes = NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE;
  EV_SET(&event, (uintptr_t)descriptor, EVFILT_VNODE, EV_ADD | EV_CLEAR, changes, 0,
         (void *)(intptr_t)what);
  if (kevent(watch->queue, &event, 1, NULL, 0, NULL) != 0) return -1;
  files[watch->count++] = (struct watched){descriptor, status->st_dev, status->st_ino};
  return 0;
}

int daybook_watch_add(daybook_watch *watch, const char *path, int what) {
  int descriptor = open(path, O_EVTONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat status;
  int result = fstat(descriptor, &status);
  for (int i = 0; result == 0 && i < watch->count; i++) {
    struct watched file = watch->files[i];
    if (file.device != status.st_dev || file.number != status.st_ino) continue;
    (void)close(descriptor);
    return 0;
  }
  if (result == 0) result = add_file(watch, descriptor, &status, what);
  if (result == 0) return 0;
  int error = errno;
  (void)close(descriptor);
  errno = error;
  return -1;
}

int daybook_watch_wait(daybook_watch *watch, int milliseconds) {
  struct timespec limit = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  const struct timespec at_once = {0, 0};
  const struct timespec *time = milliseconds < 0 ? NULL : &limit;
  struct kevent events[16];
  int changes = 0;
  int count;
  while ((count = kevent(watch->queue, NULL, 0, events, 16, time)) > 0) {
    for (int i = 0; i < count; i++) {
      if (events[i].filter != EVFILT_VNODE) continue;
      int is_written = (int)(intptr_t)events[i].udata == DAYBOOK_WATCH_WRITES &&
                       !(events[i].fflags & (NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE));
      changes |= is_written ? DAYBOOK_WATCH_WRITES : DAYBOOK_WATCH_NAMES;
    }
    if (count < 16) break;
    time = &at_once;
  }
  return changes;
}

void daybook_watch_end_wait(daybook_watch *watch) {
  struct kevent end;
  EV_SET(&end, 0, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
  (void)kevent(watch->queue, &end, 1, NULL, 0, NULL);
}

void daybook_watch_close(daybook_watch *watch) {
  for (int i = 0; i < watch->count; i++) (void)close(watch->files[i].descriptor);
  if (watch->queue >= 0) (void)close(watch->queue);
  free(watch->files);
  free(watch);
}

int daybook_is_local(const char *path) {
  struct statfs status;
  return statfs(path, &status) != 0 || (status.f_flags & MNT_LOCAL) != 0;
}

#elif defined(__linux__)
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/vfs.h>

struct daybook_watch {
  int changes;
  int ends;
};

daybook_watch *daybook_watch_open(void) {
  daybook_watch *watch = malloc(sizeof *watch);
  if (!watch) return NULL;
  watch->changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  watch->ends = watch->changes < 0 ? -1 : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (watch->ends >= 0) return watch;
  int error = errno;
  daybook_watch_close(watch);
  errno = error;
  return NULL;
}

int daybook_watch_add(daybook_watch *watch, const char *path, int what) {
  // Reading is not among them: whoever looks because of a change would be woken by the look.
  uint32_t mask = IN_DELETE_SELF | IN_MOVE_SELF;
  if (what & DAYBOOK_WATCH_NAMES) {
    mask |= IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;
  }
  if (what & DAYBOOK_WATCH_WRITES) mask |= IN_MODIFY;
  if (what & DAYBOOK_WATCH_CLOSED) mask |= IN_CLOSE_WRITE;
  return inotify_add_watch(watch->changes, path, mask) < 0 ? -1 : 0;
}

/// Consumes the changes that are known.
static int take_changes(daybook_watch *watch) {
  char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
  int changes = 0;
  ssize_t count;
  while ((count = read(watch->changes, buffer, sizeof buffer)) > 0) {
    for (char *next = buffer; next < buffer + count;) {
      const struct inotify_event *event = (const struct inotify_event *)next;
      // Any other event is about names, or says that events were lost (IN_Q_OVERFLOW).
      int is_written = (event->mask & (IN_MODIFY | IN_CLOSE_WRITE)) != 0;
      changes |= is_written ? DAYBOOK_WATCH_WRITES : DAYBOOK_WATCH_NAMES;
      next += sizeof *event + event->len;
    }
  }
  return changes;
}

int daybook_watch_wait(daybook_watch *watch, int milliseconds) {
  struct pollfd events[] = {
      {.fd = watch->changes, .events = POLLIN},
      {.fd = watch->ends, .events = POLLIN},
  };
  if (poll(events, 2, milliseconds) <= 0) return 0;
  eventfd_t count;
  if (events[1].revents) (void)eventfd_read(watch->ends, &count);
  return events[0].revents ? take_changes(watch) : 0;
}

void daybook_watch_end_wait(daybook_watch *watch) { (void)eventfd_write(watch->ends, 1); }

void daybook_watch_close(daybook_watch *watch) {
  if (watch->changes >= 0) (void)close(watch->changes);
  if (watch->ends >= 0) (void)close(watch->ends);
  free(watch);
}

int daybook_is_local(const char *path) {
  static const uint32_t shared[] = {
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB 2
      0x5346414f,  // AFS
      0x6b414653,  // AFS of the kernel
      0x00c36400,  // Ceph
      0x01021997,  // 9P: folders of the host in a virtual machine
      0x786f4256,  // shared folders of VirtualBox
      0x65735546,  // FUSE: sshfs, virtiofs, and some local file systems
      0xbacbacbc,  // shared folders of VMware
      0x0bd00bd0,  // Lustre
      0x01161970,  // GFS2
      0x7461636f,  // OCFS2
      0x73757245,  // Coda
  };
  struct statfs status;
  if (statfs(path, &status) != 0) return 1;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    if ((uint32_t)status.f_type == shared[i]) return 0;
  }
  return 1;
}

#else
daybook_watch *daybook_watch_open(void) {
  errno = ENOSYS;
  return NULL;
}

int daybook_watch_add(daybook_watch *watch, const char *path, int what) {
  (void)watch, (void)path, (void)what;
  errno = ENOSYS;
  return -1;
}

int daybook_watch_wait(daybook_watch *watch, int milliseconds) {
  (void)watch, (void)milliseconds;
  return 0;
}

void daybook_watch_end_wait(daybook_watch *watch) { (void)watch; }
void daybook_watch_close(daybook_watch *watch) { (void)watch; }
int daybook_is_local(const char *path) {
  (void)path;
  return 1;
}
#endif
