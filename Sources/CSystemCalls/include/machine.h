// What tells one machine, one start of it and one process from another.
#ifndef DAYBOOK_MACHINE_H
#define DAYBOOK_MACHINE_H

#include <stdint.h>

/// Writes a text that is another one after each start of the machine, and ends it with a zero. The
/// text is empty if the system does not tell.
void daybook_boot(char *text, int size);

/// Writes a text that no other machine has, and ends it with a zero. The text is empty if the
/// system does not tell, as in many containers. `size` is at least 37.
void daybook_machine(char *text, int size);

/// The number of the space in which the numbers of this process and of others hold. Containers
/// have their own.
uint64_t daybook_process_space(void);

/// When a process was started, on a clock of the system's. 0 if there is no such process or it has
/// ended, -1 if that cannot be found out.
int64_t daybook_process_start(int32_t process);

/// Has a file system ask its server what is at a path, instead of what it remembers. Ignores
/// errors.
void daybook_look_again(const char *path);

#endif
