// What the system gives to a process, which Swift's libraries cannot say in any case.
#ifndef DAYBOOK_PROCESS_H
#define DAYBOOK_PROCESS_H

#include <stdint.h>

/// The number of the process's arguments, with the program's name, as the system passed them. -1 if
/// the system does not tell.
///
/// Swift's own list is found from the environment, and is empty if a preloaded library has set a
/// variable: the environment is then somewhere else.
int32_t daybook_argument_count(void);

/// An argument of the process; NULL if there is none at that index.
const char *daybook_argument(int32_t index);

/// The environment as it is now, for a new process: texts `NAME=VALUE`, and NULL at the end.
char **daybook_environment(void);

#endif
