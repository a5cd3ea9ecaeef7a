// A SQLite VFS that keeps a checksum in every page of a database file.
//
// SQLite keeps no checksum of its pages: a bit that flips on the disk is served as data. This VFS
// wraps the system's VFS. When a page of a main database file is written, the VFS fills the page's
// reserved bytes; when a page is read, it checks them. A page that does not match is an I/O error,
// SQLITE_IOERR_DATA. All other files pass through unchanged. The write-ahead log has checksums of
// its own; this VFS only gathers its writes into larger ones, on request. To any other reader of
// SQLite files, such a file is an ordinary database.
#ifndef DAYBOOK_PAGES_H
#define DAYBOOK_PAGES_H

#include <stdint.h>

struct sqlite3;

/// Bytes that SQLite must leave free at the end of each page. They hold the page's number and a
/// CRC-32C of all bytes before the CRC, both little-endian. The number detects a page that was
/// written to the wrong place.
#define DAYBOOK_PAGE_RESERVED 8

/// Opcode for `sqlite3_file_control` with an `int`: 0 turns off the check of pages that are read,
/// any other value turns it on. A caller turns it off before it rewrites every page.
#define DAYBOOK_PAGES_CHECKED 0x44420001

/// Opcode for `sqlite3_file_control` with an `int`: the connection syncs the file each time it has
/// written that many bytes to it. 0, the default, leaves only SQLite's own syncs. With a pace, a
/// checkpoint has little left to sync at its end, and a commit that needs the disk meanwhile does
/// not wait for the whole checkpoint.
#define DAYBOOK_PAGES_PACED 0x44420002

/// The VFS's name, for `sqlite3_open_v2` or for `vfs=` in a URI.
#define DAYBOOK_PAGES_VFS "daybook-pages"

/// Registers the VFS with SQLite, on top of the current default VFS. Further calls have no effect.
/// Returns a SQLite result code.
int daybook_pages_register(void);

/// Starts (1) or stops (0) gathering writes to the write-ahead log of `db`; stopping flushes them.
/// Gathered writes are also flushed before any other access to the file, and when the buffer is
/// full. Stop gathering before the transaction commits: the frames that readers are told about must
/// be in the log. Returns the SQLite result code of the flush.
int daybook_pages_gather(struct sqlite3 *db, int is_gathering);

/// Turns off SQLite's memory statistics in this process, which guard one counter with a lock that
/// all connections share. Must be called before SQLite is first used. Returns a SQLite result code.
int daybook_sqlite_tune(void);

/// Returns 1 if a page read from a file is the page that was written there, else 0. `size` is the
/// page's size in bytes; `number` is the page's number, from 1.
int daybook_page_is_sound(const void *page, int size, uint32_t number);

#endif
