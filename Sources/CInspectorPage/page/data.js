// Data: collections as tables.
import { get, post, save } from "./api.js";
import { button, fill, h, place } from "./dom.js";
import { rowsTable } from "./table.js";

const PAGE = 100;
const CONDITIONS = {
  contains: "contains", equal: "is", different: "is not", less: "is less than",
  more: "is more than", empty: "is empty", filled: "is not empty",
};

export function dataPage(app, main, [name]) {
  const list = h("ul", { class: "collections", "aria-label": "Collections" });
  const body = h("section", { class: "table", "aria-labelledby": "h-table" });
  main.append(h("div", { class: "split" },
    h("section", { "aria-labelledby": "h-data" }, h("h2", { id: "h-data" }, "Data"), list), body));

  let schema = [];
  let sort = { by: "id", descending: false };
  let filters = [];
  let offset = 0;
  let total = null;
  let table = null;
  const status = h("p", { class: "small", role: "status" });
  const filterList = h("div", { class: "filters" });
  const first = button("First", () => turn(0));
  const back = button("Back", () => turn(offset - PAGE));
  const next = button("Next", () => turn(offset + PAGE));
  const last = button("Last", () => turn(Math.max(0, Math.floor((total - 1) / PAGE) * PAGE)));
  const jump = h("input", { type: "number", min: "1", "aria-label": "Go to row", placeholder: "row" });

  async function loadSchema() {
    if (app.at) {
      // Tables of a moment are there when all of it is built.
      fill(body, h("p", { class: "quiet" }, "Building that moment…"));
      await post("past", { at: app.at });
    }
    schema = (await get("schema", { at: app.at })).collections;
    fill(list, schema.map((one) => h("li", null, h("a", {
      href: place("data", one.name), "aria-current": one.name === chosen() ? "page" : null,
    }, one.name, one.relationship ? h("i", null, " relationship") : null,
    one.local ? h("i", null, " local") : null))),
    schema.length === 0 && h("li", { class: "quiet" }, "Nothing is defined yet."));
  }

  const chosen = () => name ?? schema[0]?.name;
  const collection = () => schema.find((one) => one.name === chosen());

  function frame() {
    if (!collection()) {
      fill(body, name && h("p", null, `There is no collection ${name}.`));
      return;
    }
    table = rowsTable(chosen(), `Rows of ${chosen()}`, (column) => {
      sort = { by: column, descending: sort.by === column && !sort.descending };
      offset = 0;
      app.run(() => load(false));
    });
    fill(body,
      h("div", { class: "row wide" },
        h("h3", { id: "h-table" }, chosen()),
        button("Filter", () => {
          filters.push({ field: collection().fields[0]?.name ?? "id", is: "contains", value: "" });
          showFilters();
          filterList.lastElementChild?.querySelector("input, select")?.focus();
        }),
        button("Save as NDJSON", (event) => app.run(() => saveAs("ndjson"), event)),
        button("Save as CSV", (event) => app.run(() => saveAs("csv"), event))),
      h("details", { class: "facts" }, h("summary", null, "Fields"), h("ul", null,
        collection().fields.map((field) => h("li", null, h("b", null, field.name), ` ${field.type}`,
          field.references ? ` → ${field.references}` : "", field.unique ? ", unique" : "",
          field.indexed ? ", indexed" : "", field.searched ? ", searched" : "",
          field.merges ? ", texts merge" : "", field.tree ? ", a tree" : "",
          field.kept ? ", kept by the store" : "")))),
      filterList, status, table.element,
      h("div", { class: "row pager" }, first, back, next, last,
        h("form", { class: "jump", onsubmit: (event) => {
          event.preventDefault();
          const row = Number(jump.value);
          if (row >= 1) turn(Math.min(row - 1, Math.max(0, (total ?? row) - 1)));
        } }, jump, h("button", { type: "submit" }, "Go"))));
    showFilters();
  }

  function showFilters() {
    fill(filterList, filters.map((filter, number) => {
      const needsValue = filter.is !== "empty" && filter.is !== "filled";
      return h("form", { class: "row filter", onsubmit: (event) => {
        event.preventDefault();
        offset = 0;
        app.run(() => load(true));
      } },
      h("select", { "aria-label": "Field", onchange: (event) => { filter.field = event.target.value; } },
        ["id", ...collection().fields.map((field) => field.name)].map((field) =>
          h("option", { value: field, selected: field === filter.field }, field))),
      h("select", { "aria-label": "Condition", onchange: (event) => {
        filter.is = event.target.value;
        showFilters();
      } }, Object.entries(CONDITIONS).map(([is, words]) =>
        h("option", { value: is, selected: is === filter.is }, words))),
      needsValue && h("input", { type: "text", value: filter.value, "aria-label": "Value",
        oninput: (event) => { filter.value = event.target.value; } }),
      h("button", { type: "submit", class: "main" }, "Apply"),
      button("Remove", () => {
        filters.splice(number, 1);
        offset = 0;
        showFilters();
        app.run(() => load(true));
      }));
    }));
  }

  /** The filters as the API takes them: a value is of the type of its field. */
  function conditions() {
    if (filters.length === 0) return null;
    return JSON.stringify(filters.map(({ field, is, value }) => {
      const type = collection().fields.find((one) => one.name === field)?.type;
      let typed = value;
      if (is !== "contains" && (type === "integer" || type === "real") && value.trim() !== "") {
        typed = Number(value);
        if (Number.isNaN(typed)) typed = value;
      }
      if (type === "boolean") typed = /^(1|yes|true)$/i.test(value.trim());
      return { field, is, value: typed };
    }));
  }

  let loading = new AbortController();

  async function load(counts) {
    if (!table) return;
    loading.abort();
    loading = new AbortController();
    const page = await get("rows", {
      collection: chosen(), at: app.at, sort: sort.by, descending: sort.descending || null,
      filter: conditions(), offset, limit: PAGE, count: counts || null,
    }, loading.signal);
    if (counts) total = page.count;
    table.show(page.columns, page.rows, { sort });
    const end = offset + page.rows.length;
    status.textContent = total === 0 ? "No rows"
      : `Rows ${(offset + 1).toLocaleString("en")} to ${end.toLocaleString("en")} of `
        + `${(total ?? end).toLocaleString("en")}`;
    first.disabled = back.disabled = offset === 0;
    next.disabled = last.disabled = total === null || end >= total;
  }

  function turn(to) {
    offset = Math.max(0, to);
    app.run(() => load(false));
  }

  function saveAs(format) {
    return save("export", { collection: chosen(), at: app.at, format }, `${chosen()}.${format}`);
  }

  app.run(async () => {
    await loadSchema();
    frame();
    await load(true);
  });
  return {
    changed(what) {
      if (what === "change" && !app.moment) app.run(() => load(true));
    },
    end() { loading.abort(); },
  };
}

