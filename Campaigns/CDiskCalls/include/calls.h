// Observes the file system calls of a program from within.
//
// On Linux, the functions in calls.c replace those of the C library in every program that links
// them. They see the calls of this package, of SQLite and of Foundation. Each function makes the
// system call itself. An observer, if there is one, is told before and after, and can make the call
// fail. On other systems no calls are seen. This is for test programs; nothing that is shipped
// links it.
#ifndef DAYBOOK_CALLS_H
#define DAYBOOK_CALLS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  DAYBOOK_CALL_OPEN,
  DAYBOOK_CALL_WRITE,
  DAYBOOK_CALL_SYNC,
  DAYBOOK_CALL_RESIZE,
  /// Reserves space: the file gets at least that size.
  DAYBOOK_CALL_GROW,
  DAYBOOK_CALL_RENAME,
  DAYBOOK_CALL_REMOVE,
  DAYBOOK_CALL_READ,
  DAYBOOK_CALL_MAKE_FOLDER,
  /// Asks whether a path exists, what it is, or what a folder contains.
  DAYBOOK_CALL_LOOK,
} daybook_call_kind;

typedef struct {
  daybook_call_kind kind;
  /// The file's descriptor; -1 if the call uses a path, and before a file is open.
  int descriptor;
  const char *path;
  /// The new name, for a rename.
  const char *target;
  /// The offset at which a write begins, or the new size.
  int64_t offset;
  const void *bytes;
  size_t count;
  /// Open: whether the file's content is discarded, and whether a missing file is created.
  int empties;
  int creates;
  /// The errno value with which the call fails without being made; 0 to make the call.
  ///
  /// The observer may set it before the call.
  int error;
} daybook_call;

/// Called before a call; its result is passed to ``daybook_call_after``.
///
/// It may set an error. It may also lower the count of a write; the system then writes only that
/// many bytes.
typedef uint64_t (*daybook_call_before)(daybook_call *call);
/// Called after a call that succeeded.
typedef void (*daybook_call_after)(const daybook_call *call, uint64_t token);

/// Whether calls can be observed on this system.
int daybook_calls_are_seen(void);

/// Sets the observer, or removes it.
///
/// Both functions are called on the thread that makes the call. They are not told about the calls
/// that they make themselves.
void daybook_calls_observe(daybook_call_before before, daybook_call_after after);

#endif
