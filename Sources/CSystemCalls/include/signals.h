// Integers that signal handlers share with threads. A handler may not take a lock.
#ifndef DAYBOOK_SIGNALS_H
#define DAYBOOK_SIGNALS_H

#include <stdint.h>

/// Reads an integer that other threads may write meanwhile.
static inline int32_t daybook_shared_load(const int32_t *place) {
  return __atomic_load_n(place, __ATOMIC_SEQ_CST);
}

/// Writes an integer that other threads may read or write meanwhile.
static inline void daybook_shared_store(int32_t *place, int32_t value) {
  __atomic_store_n(place, value, __ATOMIC_SEQ_CST);
}

/// Writes an integer that other threads may read or write meanwhile, and returns what it was.
static inline int32_t daybook_shared_exchange(int32_t *place, int32_t value) {
  return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);
}

#endif
