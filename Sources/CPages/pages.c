#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"

// MARK: - Pages

static uint32_t load(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store(unsigned char *p, uint32_t value) {
  for (int i = 0; i < 4; i++) p[i] = (unsigned char)(value >> (8 * i));
}

int daybook_page_is_sound(const void *page, int size, uint32_t number) {
  const unsigned char *bytes = page;
  return load(bytes + size - 8) == number &&
         load(bytes + size - 4) == daybook_crc32c(0, bytes, (size_t)size - 4);
}

static void seal(unsigned char *page, int size, uint32_t number) {
  store(page + size - 8, number);
  store(page + size - 4, daybook_crc32c(0, page, (size_t)size - 4));
}

/// Whether an access is to one whole page. All are, except those to a part of the file's header.
static int is_page(int amount, sqlite3_int64 offset) {
  return amount >= 512 && (amount & (amount - 1)) == 0 && offset % amount == 0;
}

static uint32_t number_of(int size, sqlite3_int64 offset) { return (uint32_t)(offset / size) + 1; }

// MARK: - Files that cannot be created

/// Whether a file that SQLite could not create can be created after all. If not, and the disk is
/// full, `code` becomes SQLITE_FULL. SQLite itself reports "cannot open" for any failure, because
/// its second attempt opens a file that does not exist.
static int can_be_made(const char *path, int *code) {
  if (!path || (*code & 0xff) != SQLITE_CANTOPEN) return 0;
  // O_EXCL: only a new file may be opened and closed here, because closing a file that is in use
  // would release SQLite's locks on it. The new file is left in place, since another connection may
  // already use it; an empty file does no harm.
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file >= 0) {
    close(file);
    return 1;
  }
  if (errno == ENOSPC || errno == EDQUOT) *code = SQLITE_FULL;
  return 0;
}

// MARK: - The database file

typedef struct {
  sqlite3_file file;
  /// Owned by SQLite, which keeps it until the file is closed.
  const char *name;
  int is_checked;
  /// Bytes between two syncs, or 0 for SQLite's own syncs only; and bytes written since the last.
  int pace;
  int written;
  /// A lower bound of the file's length, valid only while the current lock is held: a connection
  /// that holds the lock at another time may truncate the file.
  sqlite3_int64 length;
  /// A copy of the page being written: the buffer that SQLite passes must not be changed.
  unsigned char *page;
  int page_size;
} PageFile;

/// The system's file, which lies directly behind this struct.
static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((PageFile *)file + 1); }

static int file_close(sqlite3_file *file) {
  sqlite3_free(((PageFile *)file)->page);
  ((PageFile *)file)->page = NULL;
  return inner(file)->pMethods->xClose(inner(file));
}

/// Reads from the real file, and reports a disk that cannot be read (EIO) as SQLITE_IOERR_READ.
/// SQLite reports it as a damaged file system. A page that could not be read once may be sound;
/// only a wrong checksum is damage.
static int real_read(sqlite3_file *real, void *bytes, int amount, sqlite3_int64 offset) {
  int code = real->pMethods->xRead(real, bytes, amount, offset);
  return code == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : code;
}

/// Whether the file ends within the page at `offset`. SQLite takes what is missing for zeros.
/// It checks the first page itself, because a shorter file may not be a database.
static int is_cut(sqlite3_file *real, int amount, sqlite3_int64 offset) {
  sqlite3_int64 size = 0;
  return offset > 0 && real->pMethods->xFileSize(real, &size) == SQLITE_OK && offset < size &&
         size < offset + amount;
}

static int file_read(sqlite3_file *file, void *bytes, int amount, sqlite3_int64 offset) {
  int code = real_read(inner(file), bytes, amount, offset);
  if (!((PageFile *)file)->is_checked || !is_page(amount, offset)) return code;
  uint32_t number = number_of(amount, offset);
  if (code == SQLITE_IOERR_SHORT_READ && is_cut(inner(file), amount, offset)) {
    sqlite3_log(SQLITE_IOERR_DATA, "the file ends within page %u", number);
    return SQLITE_IOERR_DATA;
  }
  if (code != SQLITE_OK) return code;
  if (daybook_page_is_sound(bytes, amount, number)) return SQLITE_OK;
  sqlite3_log(SQLITE_IOERR_DATA, "page %u does not match its checksum", number);
  return SQLITE_IOERR_DATA;
}

static int write_page(PageFile *page_file, const void *bytes, int size, sqlite3_int64 offset) {
  if (page_file->page_size != size) {
    unsigned char *page = sqlite3_realloc(page_file->page, size);
    if (!page) return SQLITE_NOMEM;
    page_file->page = page;
    page_file->page_size = size;
  }
  if (bytes) {
    memcpy(page_file->page, bytes, (size_t)size);
  } else {
    memset(page_file->page, 0, (size_t)size);
  }
  seal(page_file->page, size, number_of(size, offset));
  sqlite3_file *real = inner(&page_file->file);
  return real->pMethods->xWrite(real, page_file->page, size, offset);
}

/// Writes zeroed pages with checksums from the end of the file up to `offset`. SQLite may skip free
/// pages and pages that it will write later; this way every page of the file has a checksum.
static int fill_gap(PageFile *page_file, int size, sqlite3_int64 offset) {
  if (offset <= page_file->length) return SQLITE_OK;
  sqlite3_file *real = inner(&page_file->file);
  int code = real->pMethods->xFileSize(real, &page_file->length);
  for (sqlite3_int64 at = page_file->length / size * size; code == SQLITE_OK && at < offset;
       at += size) {
    code = write_page(page_file, NULL, size, at);
  }
  return code;
}

/// Syncs the file if the connection has asked for a pace: see DAYBOOK_PAGES_PACED.
static int keep_pace(PageFile *page_file, int amount) {
  if (page_file->pace == 0) return SQLITE_OK;
  page_file->written += amount;
  if (page_file->written < page_file->pace) return SQLITE_OK;
  page_file->written = 0;
  sqlite3_file *real = inner(&page_file->file);
  return real->pMethods->xSync(real, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

static int file_write(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset) {
  PageFile *page_file = (PageFile *)file;
  if (!is_page(amount, offset)) {
    return inner(file)->pMethods->xWrite(inner(file), bytes, amount, offset);
  }
  // In a database without reserved bytes, the end of a page is data.
  if (offset == 0 && ((const unsigned char *)bytes)[20] != DAYBOOK_PAGE_RESERVED) {
    sqlite3_log(SQLITE_IOERR_WRITE, "the database reserves no room for checksums");
    return SQLITE_IOERR_WRITE;
  }
  int code = fill_gap(page_file, amount, offset);
  if (code == SQLITE_OK) code = write_page(page_file, bytes, amount, offset);
  if (code == SQLITE_OK && page_file->length < offset + amount) {
    page_file->length = offset + amount;
  }
  return code == SQLITE_OK ? keep_pace(page_file, amount) : code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (((PageFile *)file)->length > size) ((PageFile *)file)->length = size;
  return inner(file)->pMethods->xTruncate(inner(file), size);
}

static int file_control(sqlite3_file *file, int opcode, void *argument) {
  if (opcode == DAYBOOK_PAGES_CHECKED) {
    ((PageFile *)file)->is_checked = *(int *)argument;
    return SQLITE_OK;
  }
  if (opcode == DAYBOOK_PAGES_PACED) {
    ((PageFile *)file)->pace = *(int *)argument;
    return SQLITE_OK;
  }
  return inner(file)->pMethods->xFileControl(inner(file), opcode, argument);
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **map) {
  sqlite3_file *real = inner(file);
  int code = real->pMethods->xShmMap(real, region, size, extend, map);
  if ((code & 0xff) != SQLITE_CANTOPEN || !((PageFile *)file)->name) return code;
  char *path = sqlite3_mprintf("%s-shm", ((PageFile *)file)->name);
  if (can_be_made(path, &code)) code = real->pMethods->xShmMap(real, region, size, extend, map);
  sqlite3_free(path);
  return code;
}

static int file_lock(sqlite3_file *file, int level) {
  ((PageFile *)file)->length = 0;
  return inner(file)->pMethods->xLock(inner(file), level);
}

/// Takes a lock in shared memory. Checkpoints, which write to the file, run under such a lock.
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  ((PageFile *)file)->length = 0;
  return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}

/// Maps no memory: pages are checked when they are read.
static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int amount, void **page) {
  *page = NULL;
  return SQLITE_OK;
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) { return SQLITE_OK; }

// The functions below only pass through.

static int file_sync(sqlite3_file *file, int flags) {
  return inner(file)->pMethods->xSync(inner(file), flags);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return inner(file)->pMethods->xFileSize(inner(file), size);
}
static int file_unlock(sqlite3_file *file, int level) {
  return inner(file)->pMethods->xUnlock(inner(file), level);
}
static int file_check_reserved_lock(sqlite3_file *file, int *result) {
  return inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}
static int file_sector_size(sqlite3_file *file) {
  return inner(file)->pMethods->xSectorSize(inner(file));
}
static int file_characteristics(sqlite3_file *file) {
  return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}
static void file_shm_barrier(sqlite3_file *file) {
  inner(file)->pMethods->xShmBarrier(inner(file));
}
static int file_shm_unmap(sqlite3_file *file, int remove) {
  return inner(file)->pMethods->xShmUnmap(inner(file), remove);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 3,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
    .xFetch = file_fetch,
    .xUnfetch = file_unfetch,
};

// MARK: - The write-ahead log

/// A write-ahead log file. SQLite writes it in pieces: 24 bytes, then a page. While gathering is
/// on, adjacent writes are collected in a buffer and written at once.
typedef struct {
  sqlite3_file file;
  int is_gathering;
  unsigned char *gathered;
  int length;
  sqlite3_int64 offset;
} LogFile;

/// Capacity of the buffer in bytes. SQLite's own files take less than 128 KiB in one write.
enum { GATHERED_MAX = 96 * 1024 };

static sqlite3_file *inner_log(sqlite3_file *file) { return (sqlite3_file *)((LogFile *)file + 1); }

static int log_flush(sqlite3_file *file) {
  LogFile *log = (LogFile *)file;
  if (log->length == 0) return SQLITE_OK;
  int length = log->length;
  log->length = 0;
  return inner_log(file)->pMethods->xWrite(inner_log(file), log->gathered, length, log->offset);
}

static int log_close(sqlite3_file *file) {
  int code = log_flush(file);
  sqlite3_free(((LogFile *)file)->gathered);
  ((LogFile *)file)->gathered = NULL;
  int closed = inner_log(file)->pMethods->xClose(inner_log(file));
  return code == SQLITE_OK ? closed : code;
}

static int log_write(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset) {
  LogFile *log = (LogFile *)file;
  if (log->length > 0 &&
      (offset != log->offset + log->length || amount > GATHERED_MAX - log->length)) {
    int code = log_flush(file);
    if (code != SQLITE_OK) return code;
  }
  if (!log->is_gathering || amount > GATHERED_MAX) {
    return inner_log(file)->pMethods->xWrite(inner_log(file), bytes, amount, offset);
  }
  if (log->length == 0) log->offset = offset;
  memcpy(log->gathered + log->length, bytes, (size_t)amount);
  log->length += amount;
  return SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *bytes, int amount, sqlite3_int64 offset) {
  int code = log_flush(file);
  if (code != SQLITE_OK) return code;
  return real_read(inner_log(file), bytes, amount, offset);
}
static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = log_flush(file);
  return code == SQLITE_OK ? inner_log(file)->pMethods->xTruncate(inner_log(file), size) : code;
}
static int log_sync(sqlite3_file *file, int flags) {
  int code = log_flush(file);
  return code == SQLITE_OK ? inner_log(file)->pMethods->xSync(inner_log(file), flags) : code;
}
static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
  int code = log_flush(file);
  return code == SQLITE_OK ? inner_log(file)->pMethods->xFileSize(inner_log(file), size) : code;
}

// The functions below only pass through.

static int log_lock(sqlite3_file *file, int level) {
  return inner_log(file)->pMethods->xLock(inner_log(file), level);
}
static int log_unlock(sqlite3_file *file, int level) {
  return inner_log(file)->pMethods->xUnlock(inner_log(file), level);
}
static int log_check_reserved_lock(sqlite3_file *file, int *result) {
  return inner_log(file)->pMethods->xCheckReservedLock(inner_log(file), result);
}
static int log_control(sqlite3_file *file, int opcode, void *argument) {
  return inner_log(file)->pMethods->xFileControl(inner_log(file), opcode, argument);
}
static int log_sector_size(sqlite3_file *file) {
  return inner_log(file)->pMethods->xSectorSize(inner_log(file));
}
static int log_characteristics(sqlite3_file *file) {
  return inner_log(file)->pMethods->xDeviceCharacteristics(inner_log(file));
}

/// Methods of version 1: shared memory and mapping belong to the database file.
static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check_reserved_lock,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_characteristics,
};

int daybook_pages_gather(sqlite3 *db, int is_gathering) {
  sqlite3_file *file = NULL;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  // There is no log, or its VFS is another one: nothing is gathered.
  if (code != SQLITE_OK || !file || file->pMethods != &log_methods) return SQLITE_OK;
  LogFile *log = (LogFile *)file;
  if (is_gathering && !log->gathered) log->gathered = sqlite3_malloc(GATHERED_MAX);
  log->is_gathering = is_gathering && log->gathered;
  return log_flush(file);
}

// MARK: - The VFS

static sqlite3_vfs *base(sqlite3_vfs *vfs) { return vfs->pAppData; }

/// Opens the real file; returns SQLITE_FULL if the disk is full.
static int open_real(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *real, int flags, int *flags_out) {
  int code = base(vfs)->xOpen(base(vfs), name, real, flags, flags_out);
  if (!(flags & SQLITE_OPEN_CREATE) || !can_be_made(name, &code)) return code;
  return base(vfs)->xOpen(base(vfs), name, real, flags, flags_out);
}

static int vfs_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  if (flags & SQLITE_OPEN_WAL) {
    memset(file, 0, sizeof(LogFile));
    int code = open_real(vfs, name, inner_log(file), flags, flags_out);
    if (code == SQLITE_OK) file->pMethods = &log_methods;
    return code;
  }
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return open_real(vfs, name, file, flags, flags_out);
  PageFile *page_file = (PageFile *)file;
  memset(page_file, 0, sizeof *page_file);
  page_file->name = name;
  page_file->is_checked = 1;
  int code = open_real(vfs, name, inner(file), flags, flags_out);
  if (code == SQLITE_OK) file->pMethods = &file_methods;
  return code;
}
static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  return base(vfs)->xDelete(base(vfs), name, sync);
}
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return base(vfs)->xAccess(base(vfs), name, flags, result);
}
static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out) {
  return base(vfs)->xFullPathname(base(vfs), name, size, out);
}
static void *vfs_dl_open(sqlite3_vfs *vfs, const char *name) {
  return base(vfs)->xDlOpen(base(vfs), name);
}
static void vfs_dl_error(sqlite3_vfs *vfs, int size, char *message) {
  base(vfs)->xDlError(base(vfs), size, message);
}
static void (*vfs_dl_sym(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
  return base(vfs)->xDlSym(base(vfs), library, symbol);
}
static void vfs_dl_close(sqlite3_vfs *vfs, void *library) {
  base(vfs)->xDlClose(base(vfs), library);
}
static int vfs_randomness(sqlite3_vfs *vfs, int size, char *out) {
  return base(vfs)->xRandomness(base(vfs), size, out);
}
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  return base(vfs)->xSleep(base(vfs), microseconds);
}
static int vfs_current_time(sqlite3_vfs *vfs, double *time) {
  return base(vfs)->xCurrentTime(base(vfs), time);
}
static int vfs_get_last_error(sqlite3_vfs *vfs, int size, char *message) {
  return base(vfs)->xGetLastError(base(vfs), size, message);
}
static int vfs_current_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return base(vfs)->xCurrentTimeInt64(base(vfs), time);
}

static sqlite3_vfs pages_vfs = {
    .iVersion = 2,
    .zName = DAYBOOK_PAGES_VFS,
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_pathname,
    .xDlOpen = vfs_dl_open,
    .xDlError = vfs_dl_error,
    .xDlSym = vfs_dl_sym,
    .xDlClose = vfs_dl_close,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_current_time,
    .xGetLastError = vfs_get_last_error,
    .xCurrentTimeInt64 = vfs_current_time_int64,
};

int daybook_pages_register(void) {
  sqlite3_vfs *system = sqlite3_vfs_find(NULL);
  if (!system) return SQLITE_ERROR;
  if (pages_vfs.pAppData) return SQLITE_OK;
  size_t own = sizeof(PageFile) > sizeof(LogFile) ? sizeof(PageFile) : sizeof(LogFile);
  pages_vfs.szOsFile = (int)own + system->szOsFile;
  pages_vfs.mxPathname = system->mxPathname;
  pages_vfs.pAppData = system;
  return sqlite3_vfs_register(&pages_vfs, 0);
}

int daybook_sqlite_tune(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
