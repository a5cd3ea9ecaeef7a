// ICU's data without any entry, in the place of 34 MB about languages, regions and scripts.
//
// Foundation is made with ICU, and a statically linked evtool would contain all of its data. evtool formats and compares
// nothing by the rules of a language: what it writes is the same everywhere. ICU finds that an entry is missing, and says
// so to Foundation. The linker takes this symbol and leaves the library's object out. Only release builds have it, so
// that tests, which link evtool's objects, keep the data.
//
// The format is that of ICU's udata.h: a header, and a table of contents "ToCP" with no entries. The symbol's name has
// ICU's version; a toolchain with another one makes evtool larger, and nothing else.
#if defined(__linux__) && defined(DAYBOOK_RELEASE)

#include <stdint.h>

struct daybook_icu_data {
  uint16_t header_bytes;
  uint8_t magic[2];
  uint16_t info_bytes;
  uint16_t reserved;
  uint8_t is_big_endian;
  uint8_t charset;
  uint8_t bytes_of_character;
  uint8_t reserved_too;
  uint8_t format[4];
  uint8_t format_version[4];
  uint8_t data_version[4];
  uint8_t padding[8];
  uint32_t entry_count;
  uint32_t end;
};

__attribute__((aligned(16))) const struct daybook_icu_data daybook_icu_none = {
    32, {0xDA, 0x27}, 20, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 0, 2, 0,
    {'T', 'o', 'C', 'P'}, {1, 0, 0, 0}, {0}, {0}, 0, 0,
};

#define VERSION(number) \
  extern const struct daybook_icu_data icudt##number##_dat __attribute__((alias("daybook_icu_none")))

VERSION(74);
VERSION(75);
VERSION(76);
VERSION(77);
VERSION(78);

#endif
