// What a program asks of its files, seen from within.
//
// On Linux, the functions in calls.c stand in the place of the C library's for everything in the
// program that they are linked into: this package's own code, SQLite, and Foundation. Each makes the
// call to the system itself, and tells an observer before and after, if there is one, who may have it
// fail instead. Elsewhere nothing is seen. For programs that test; nothing that is shipped links this.
#ifndef DAYBOOK_CALLS_H
#define DAYBOOK_CALLS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  DAYBOOK_CALL_OPEN,
  DAYBOOK_CALL_WRITE,
  DAYBOOK_CALL_SYNC,
  DAYBOOK_CALL_RESIZE,
  /// Space is reserved: the file gets at least that size.
  DAYBOOK_CALL_GROW,
  DAYBOOK_CALL_RENAME,
  DAYBOOK_CALL_REMOVE,
  DAYBOOK_CALL_READ,
  DAYBOOK_CALL_MAKE_FOLDER,
  /// Whether something is there, what it is, and what is in it.
  DAYBOOK_CALL_LOOK,
} daybook_call_kind;

typedef struct {
  daybook_call_kind kind;
  /// Of the file; -1 where the call goes by name, and before a file is open.
  int descriptor;
  const char *path;
  /// The new name, in a renaming.
  const char *target;
  /// Where a write begins, or the new size.
  int64_t offset;
  const void *bytes;
  size_t count;
  /// Open: whether what the file had is to go, and whether one that is not there is made.
  int empties;
  int creates;
  /// For the observer to set before the call: the error, of errno, with which it fails without being
  /// made. 0: it is made.
  int error;
} daybook_call;

/// Before a call. What it returns is handed to the one after it. It may set an error, or lower the
/// count of a write, of which the system then takes only so much.
typedef uint64_t (*daybook_call_before)(daybook_call *call);
/// After a call that went well.
typedef void (*daybook_call_after)(const daybook_call *call, uint64_t token);

/// Whether calls can be seen here.
int daybook_calls_are_seen(void);

/// Both are called on the thread that makes the call; what they ask of files is not told to them.
void daybook_calls_observe(daybook_call_before before, daybook_call_after after);

#endif
