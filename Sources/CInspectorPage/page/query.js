// Query: full text, SQL and GQL, each with its plan and time.
import { get, post } from "./api.js";
import { button, count, fill, h, place, valueView } from "./dom.js";

const LANGUAGES = [
  {
    name: "sql", title: "SQL", member: "sql", planTitle: "How SQLite runs it",
    about: "One SELECT of SQLite. It can only read, whatever it says.",
    example: "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_daybook%' ESCAPE '\\' LIMIT 20",
  },
  {
    name: "gql", title: "GQL", member: "query", planTitle: "The steps of its plan",
    about: "One query of openCypher or GQL that reads. Collections are labels, and relationships types.",
    example: "MATCH (n) RETURN labels(n) AS labels, count(*) AS count ORDER BY count DESC",
  },
];

export function queryPage(app, main, [kind, given]) {
  const found = h("div", { "aria-live": "polite" });
  const text = h("input", {
    type: "search", value: kind === "search" ? given ?? "" : "", "aria-label": "Words to search for",
    placeholder: "words, \"a phrase\", begin*, -without", spellcheck: "false",
  });
  main.append(
    h("section", { "aria-labelledby": "h-search" }, h("h2", { id: "h-search" }, "Search"),
      h("form", { class: "row", role: "search", onsubmit: (event) => {
        event.preventDefault();
        app.run(search);
      } }, text, h("button", { type: "submit", class: "main" }, "Search")), found),
    ...LANGUAGES.map((language) => statementSection(app, language, kind === language.name ? given : null)));

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

  if (kind === "search" && given) app.run(search);
  return {};
}

/** A field for statements of one language, their rows, and their plan. */
function statementSection(app, language, given) {
  const kept = `daybook-${language.name}`;
  const field = h("textarea", {
    rows: "5", class: "code", "aria-label": language.title, spellcheck: "false",
    value: given ?? sessionStorage.getItem(kept) ?? language.example,
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
  let cursor = null;

  async function run(from) {
    sessionStorage.setItem(kept, field.value);
    status.textContent = "Running…";
    let answer;
    if (app.at) await post("past", { at: app.at });
    try {
      answer = await post(language.name, {
        [language.member]: field.value, plan: true, limit: 200, cursor: from, at: app.at,
      });
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
    const notes = (answer.notes ?? []).map((note) => h("p", { class: "small" }, note));
    fill(rows, ...notes, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Rows of ${language.title}` },
      h("table", { class: "rows" }, h("caption", { class: "sr" }, "Rows of the statement"),
        h("thead", null, h("tr", null, answer.columns.map((column) => h("th", { scope: "col" }, column)))),
        h("tbody", null, answer.rows.map((row) => h("tr", null, row.map((cell) =>
          h("td", null, valueView(typeof cell === "object" && cell !== null ? JSON.stringify(cell) : cell, 400)))))))),
    answer.truncated && button("Next page", (event) => app.run(() => run(cursor), event)));
    const steps = (answer.plan ?? []).map((step) => typeof step === "string"
      ? { depth: (step.length - step.trimStart().length) / 2, step: step.trimStart() } : step);
    fill(plan, steps.length > 0 && h("details", { class: "facts", open: true },
      h("summary", null, language.planTitle),
      h("ul", { class: "plan" }, steps.map(({ depth, step }) =>
        h("li", { style: null, class: `depth${Math.min(depth, 6)}` }, step)))));
  }

  const id = `h-${language.name}`;
  return h("section", { "aria-labelledby": id }, h("h2", { id }, language.title),
    h("p", { class: "quiet" }, language.about),
    field, h("div", { class: "row" },
      button(`Run ${language.title}`, (event) => app.run(() => run(null), event),
        { class: "main", title: "Ctrl+Enter" })),
    status, rows, plan);
}

/** A snippet whose found words stand between two private characters. */
function marked(snippet) {
  return snippet.split(/(\uE000[^\uE001]*\uE001)/).map((part) =>
    part.startsWith("\uE000") ? h("mark", null, part.slice(1, -1)) : part);
}
