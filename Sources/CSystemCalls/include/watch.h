// A wait for changes of files and folders, of which the system tells: inotify on Linux, kqueue on
// Apple's systems.
#ifndef DAYBOOK_WATCH_H
#define DAYBOOK_WATCH_H

/// One thread adds and waits; any thread may end the wait.
typedef struct daybook_watch daybook_watch;

/// What to watch, and what `daybook_watch_wait` returns.
enum {
  /// The names in a folder, and the folder itself: made, removed, renamed.
  DAYBOOK_WATCH_NAMES = 1,
  /// The writes to a file.
  DAYBOOK_WATCH_WRITES = 2,
  /// The files in a folder that were closed after writing. Only inotify tells of these.
  DAYBOOK_WATCH_CLOSED = 4,
};

/// Makes a watch, which children of the process do not inherit. Returns NULL, and sets errno, if
/// the system refuses or has no such thing.
daybook_watch *daybook_watch_open(void);

/// Watches what is at a path now. Adding it again has no effect.
/// - what: `DAYBOOK_WATCH_…`, for a folder NAMES, or NAMES and CLOSED; for a file WRITES.
/// Returns 0, or -1 and sets errno.
int daybook_watch_add(daybook_watch *watch, const char *path, int what);

/// Waits for a change, without a limit if `milliseconds` is negative. Consumes all changes known by
/// then. Returns `DAYBOOK_WATCH_NAMES`, `DAYBOOK_WATCH_WRITES` or both. Returns 0 if the time is
/// up, the wait was ended, or a signal came.
int daybook_watch_wait(daybook_watch *watch, int milliseconds);

/// Ends the wait of another thread, or the next one if none is waiting.
void daybook_watch_end_wait(daybook_watch *watch);

/// Closes a watch that no thread uses any more.
void daybook_watch_close(daybook_watch *watch);

/// Whether only this machine changes the files at a path, as far as the file system says. The
/// system does not tell of the changes that other machines make.
int daybook_is_local(const char *path);

#endif
