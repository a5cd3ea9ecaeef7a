#include "process.h"

#include <stddef.h>

static int32_t argument_count = -1;
static char **arguments = NULL;

#if defined(__APPLE__) || defined(__GLIBC__)
// These systems pass the arguments of `main` to what runs before it, too.
__attribute__((constructor)) static void note_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}
#endif

int32_t daybook_argument_count(void) { return argument_count; }

const char *daybook_argument(int32_t index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}

#if defined(__APPLE__)
#include <crt_externs.h>

char **daybook_environment(void) { return *_NSGetEnviron(); }
#else
extern char **environ;

char **daybook_environment(void) { return environ; }
#endif
