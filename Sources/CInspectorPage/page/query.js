// Query: full text, and SQL with its plan and time.
import { get, post } from "./api.js";
import { button, count, fill, h, place, textOf, valueView } from "./dom.js";

const EXAMPLE = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_daybook%' ESCAPE '\\' LIMIT 20";

export function queryPage(app, main, [kind, given]) {
  const found = h("div", { "aria-live": "polite" });
  const text = h("input", {
    type: "search", value: kind === "search" ? given ?? "" : "", "aria-label": "Words to search for",
    placeholder: "words, \"a phrase\", begin*, -without", spellcheck: "false",
  });
  const sql = h("textarea", {
    rows: "5", class: "code", "aria-label": "SQL", spellcheck: "false",
    value: kind === "sql" && given ? given : sessionStorage.getItem("daybook-sql") ?? EXAMPLE,
    onkeydown: (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        app.run(() => run(null));
      }
    },
  });
  const status = h("p", { class: "small", role: "status" });
  const rows = h("div");
  const plan = h("div");
  main.append(
    h("section", { "aria-labelledby": "h-search" }, h("h2", { id: "h-search" }, "Search"),
      h("form", { class: "row", role: "search", onsubmit: (event) => {
        event.preventDefault();
        app.run(search);
      } }, text, h("button", { type: "submit", class: "main" }, "Search")), found),
    h("section", { "aria-labelledby": "h-sql" }, h("h2", { id: "h-sql" }, "SQL"),
      h("p", { class: "quiet" }, "One SELECT of SQLite. It can only read, whatever it says."),
      sql, h("div", { class: "row" },
        button("Run", (event) => app.run(() => run(null), event), { class: "main", title: "Ctrl+Enter" })),
      status, rows, plan));

  async function search() {
    const words = text.value.trim();
    if (!words) return;
    if (app.at) await post("past", { at: app.at });
    const { hits, match } = await get("search", { text: words, at: app.at });
    fill(found, h("p", { class: "small" }, hits.length === 0 ? "Nothing has these words."
      : count(hits.length, "hit") + (match === "any" ? ", with some of the words" : "")),
    h("ul", { class: "hits" }, hits.map((hit) => h("li", null,
      h("a", { href: place("entity", hit.collection, hit.id) }, `${hit.collection} ${hit.id}`),
      h("p", null, marked(hit.snippet))))));
  }

  let cursor = null;

  async function run(from) {
    sessionStorage.setItem("daybook-sql", sql.value);
    status.textContent = "Running…";
    let answer;
    if (app.at) await post("past", { at: app.at });
    try {
      answer = await post("sql", { sql: sql.value, plan: true, limit: 200, cursor: from, at: app.at });
    } catch (error) {
      status.textContent = "";
      fill(rows, h("p", { class: "problem" }, error.message + ". ", error.cure ?? ""));
      fill(plan);
      if (error.status === 401) throw error;
      return;
    }
    const isMore = cursor !== null && from !== null;
    cursor = answer.cursor;
    status.textContent = `${count(answer.rows.length, "row")}`
      + `${answer.truncated ? ", and there are more" : ""} in ${answer.milliseconds.toFixed(1)} ms`
      + (isMore ? ", the next page" : "");
    fill(rows, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows" },
      h("table", { class: "rows" }, h("caption", { class: "sr" }, "Rows of the statement"),
        h("thead", null, h("tr", null, answer.columns.map((column) => h("th", { scope: "col" }, column)))),
        h("tbody", null, answer.rows.map((row) => h("tr", null, row.map((cell) =>
          h("td", null, valueView(typeof cell === "object" && cell !== null ? textOf(cell) : cell, 400)))))))),
    answer.truncated && button("Next page", (event) => app.run(() => run(cursor), event)));
    fill(plan, h("details", { class: "facts", open: true }, h("summary", null, "How SQLite runs it"),
      h("ul", { class: "plan" }, (answer.plan ?? []).map((step) =>
        h("li", { style: null, class: `depth${Math.min(step.depth, 6)}` }, step.step)))));
  }

  if (kind === "search" && given) app.run(search);
  return {};
}

/** A snippet whose found words stand between two private characters. */
function marked(snippet) {
  return snippet.split(/(\uE000[^\uE001]*\uE001)/).map((part) =>
    part.startsWith("\uE000") ? h("mark", null, part.slice(1, -1)) : part);
}
