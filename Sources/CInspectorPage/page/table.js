// A table of rows, as several sections show it.
import { fill, h, place, textOf, valueView } from "./dom.js";

/** A table of the rows of a collection. `sorting` gets the column of a heading that is pressed. */
export function rowsTable(collection, caption, sorting) {
  const head = h("tr");
  const body = h("tbody");
  const element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "rows" }, h("caption", { class: "sr" }, caption), h("thead", null, head), body));
  let known = new Map();

  function heading(column, sort) {
    const isSorted = sort?.by === column;
    const order = isSorted ? (sort.descending ? "descending" : "ascending") : "none";
    if (!sorting) return h("th", { scope: "col" }, column);
    return h("th", { scope: "col", "aria-sort": order },
      h("button", { type: "button", onclick: () => sorting(column) }, column,
        h("span", { "aria-hidden": "true" }, isSorted ? (sort.descending ? " ↓" : " ↑") : "")));
  }

  return {
    element,
    /** Shows rows; with `compare`, cells that differ from those shown before stand out. */
    show(columns, rows, { sort, compare } = {}) {
      fill(head, ["id", ...columns].map((column) => heading(column, sort)));
      const now = new Map();
      fill(body, rows.map((row) => {
        const before = known.get(row.id);
        now.set(row.id, row.cells.map(textOf));
        const isNew = compare && known.size > 0 && !before;
        return h("tr", { class: isNew ? "new" : null },
          h("th", { scope: "row" }, h("a", { href: place("entity", collection, row.id) }, row.id)),
          row.cells.map((cell, number) => h("td", {
            class: compare && before && before[number] !== textOf(cell) ? "changed" : null,
          }, valueView(cell, 160))));
      }));
      if (rows.length === 0) {
        fill(body, h("tr", null, h("td", { colspan: columns.length + 1, class: "quiet" }, "No rows.")));
      }
      known = now;
    },
  };
}
