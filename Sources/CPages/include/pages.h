// SQLite's file access with a checksum in every page of a database file.
//
// SQLite keeps no checksum of its pages: a bit that flips on the disk is served as data. This VFS
// stands over the system's. It fills the reserved bytes at the end of each page that is written to
// a main database file, and checks them on each page that is read; one that does not match is an
// I/O error, SQLITE_IOERR_DATA. Every other file passes through: the write-ahead log has checksums
// of its own, and is only written in larger pieces where that is asked for. Such a file is an
// ordinary database to anything else that reads SQLite.
#ifndef DAYBOOK_PAGES_H
#define DAYBOOK_PAGES_H

#include <stdint.h>

struct sqlite3;

/// What SQLite is told to leave free at the end of a page: the page's number and a CRC-32C of all
/// bytes before the CRC, both little-endian. The number finds pages that went to a wrong place.
#define DAYBOOK_PAGE_RESERVED 8

/// Opcode for `sqlite3_file_control` with an `int`: 0 stops the check of what is read, for one who
/// is about to write every page anew; another value starts it again.
#define DAYBOOK_PAGES_CHECKED 0x44420001

/// Opcode for `sqlite3_file_control` with an `int`: the connection syncs the file each time that it has written
/// so many bytes to it; 0, as at first, for SQLite's own syncs only. A checkpoint then has little left to sync
/// at its end, and a commit that needs the disk meanwhile does not wait for all of it.
#define DAYBOOK_PAGES_PACED 0x44420002

/// The name that `sqlite3_open_v2` takes, or an URI as `vfs=`.
#define DAYBOOK_PAGES_VFS "daybook-pages"

/// Makes the VFS known to SQLite, over the one that is the default now. May be called repeatedly.
/// Returns SQLite's code.
int daybook_pages_register(void);

/// Begins (1) to gather what is written to the write-ahead log of `db`, or writes what was gathered
/// and ends that (0). It is written by itself before anything else is done to the file, and when it
/// becomes much. End it before the transaction is committed: what readers are told to be in the log
/// has to be there. Returns SQLite's code for the write.
int daybook_pages_gather(struct sqlite3 *db, int is_gathering);

/// Tells SQLite to keep no count of the memory that it takes in this process: it guards the count
/// with one lock for all connections. Only before its first use. Returns SQLite's code.
int daybook_sqlite_tune(void);

/// Whether a page as it stands in a file is what was written there. `size` is the page's, in bytes;
/// `number` counts from 1.
int daybook_page_is_sound(const void *page, int size, uint32_t number);

#endif
