#include "inspector_page.h"

// The compiler copies the files as they stand, and a change of one compiles this file again. A new
// file stands here twice: its bytes, and below its name and type.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char app_js[] = {
#embed "page/app.js"
};
static const unsigned char api_js[] = {
#embed "page/api.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char merge_js[] = {
#embed "page/merge.js"
};
static const unsigned char table_js[] = {
#embed "page/table.js"
};
static const unsigned char waiting_js[] = {
#embed "page/waiting.js"
};
static const unsigned char time_js[] = {
#embed "page/time.js"
};
static const unsigned char event_js[] = {
#embed "page/event.js"
};
static const unsigned char data_js[] = {
#embed "page/data.js"
};
static const unsigned char entity_js[] = {
#embed "page/entity.js"
};
static const unsigned char query_js[] = {
#embed "page/query.js"
};
static const unsigned char pictures_js[] = {
#embed "page/pictures.js"
};
static const unsigned char graph_js[] = {
#embed "page/graph.js"
};
static const unsigned char health_js[] = {
#embed "page/health.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};

#define SCRIPT "text/javascript; charset=utf-8"
#define FILE_OF(name, type, bytes) {name, type, bytes, sizeof(bytes)}

static const daybook_page files[] = {
    FILE_OF("index.html", "text/html; charset=utf-8", index_html),
    FILE_OF("style.css", "text/css; charset=utf-8", style_css),
    FILE_OF("icon.svg", "image/svg+xml", icon_svg),
    FILE_OF("app.js", SCRIPT, app_js),
    FILE_OF("api.js", SCRIPT, api_js),
    FILE_OF("dom.js", SCRIPT, dom_js),
    FILE_OF("merge.js", SCRIPT, merge_js),
    FILE_OF("table.js", SCRIPT, table_js),
    FILE_OF("waiting.js", SCRIPT, waiting_js),
    FILE_OF("time.js", SCRIPT, time_js),
    FILE_OF("event.js", SCRIPT, event_js),
    FILE_OF("data.js", SCRIPT, data_js),
    FILE_OF("entity.js", SCRIPT, entity_js),
    FILE_OF("query.js", SCRIPT, query_js),
    FILE_OF("pictures.js", SCRIPT, pictures_js),
    FILE_OF("graph.js", SCRIPT, graph_js),
    FILE_OF("health.js", SCRIPT, health_js),
};

size_t daybook_page_count(void) { return sizeof(files) / sizeof(files[0]); }

daybook_page daybook_page_file(size_t number) {
  if (number < daybook_page_count()) return files[number];
  daybook_page none = {NULL, NULL, NULL, 0};
  return none;
}
