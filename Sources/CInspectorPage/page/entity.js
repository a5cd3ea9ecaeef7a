// One entity: what it is, who wrote it, and everything that has happened to it.
import { get, post, save } from "./api.js";
import { button, fill, h, hue, isCut, place, textOf, timeView, valueView, when, who } from "./dom.js";

export function entityPage(app, main, [collection, id]) {
  const head = h("section", null, h("p", { class: "quiet" }, "Reading the entity…"));
  const past = h("section", { "aria-labelledby": "h-history" });
  main.append(head, past);
  let cursor = null;
  let fields = [];

  async function load() {
    const [{ entity }, history, { collections }] = await Promise.all([
      get("entity", { collection, id, at: app.at }), get("history", { collection, id }),
      get("schema"),
    ]);
    const schema = collections.find((one) => one.name === collection);
    fields = schema?.fields ?? [];
    const blame = new Map();
    for (const write of [...history.writes].reverse()) {
      for (const change of write.changes) if (change.current) blame.set(change.field, write);
    }
    fill(head,
      h("p", { class: "path" }, h("a", { href: place("data", collection) }, collection)),
      h("h2", null, id),
      entity === null && h("p", { class: "quiet" }, app.moment
        ? "It was not there at the moment that is shown."
        : history.writes.length > 0 ? "It is not there any more." : "There is no such entity."),
      h("div", { class: "row" },
        button("Show its graph", () => app.go("pictures", "graph", `${collection}/${id}`)),
        entity === null && history.writes.length > 0 && !app.store.readOnly && !app.moment
          && button("Restore it", (event) => app.run(() => write("restore", {}), event)),
        entity !== null && !app.store.readOnly && !app.moment
          && button("Delete it", (event) => app.run(() => write("delete", {}), event), { class: "danger" })),
      entity && h("dl", { class: "fields" }, fields.map((field) =>
        fieldView(field, entity, blame.get(field.name)))));
    showHistory(history, false);
  }

  async function write(op, changed, entity) {
    const { event } = await post("write", {
      operations: [{ op, collection, id, fields: changed, version: entity?.version }],
    });
    app.say({ delete: "Deleted.", restore: "It is there again.", update: "Written." }[op],
      event && button("Undo", (click) => app.run(async () => {
        await post("undo", { event });
        app.say("Undone.");
        await load();
      }, click)));
    await load();
  }

  function fieldView(field, entity, written) {
    const value = entity.fields[field.name] ?? null;
    const cell = h("dd");
    const isWritable = !app.store.readOnly && !app.moment && !field.kept && !isCut(value);
    const show = () => fill(cell,
      field.references && typeof value === "string"
        ? h("a", { href: place("entity", field.references, value) }, value)
        : valueView(value),
      h("p", { class: "small" },
        written && [who(written.actor), " ",
          h("a", { href: place("event", written.event) }, when(written.authored))],
        " ", isWritable && button("Change", edit, { class: "link", "aria-label": "Change " + field.name }),
        " ", field.type === "text" && value !== null && button("Who wrote what",
          (event) => app.run(blameText, event), { class: "link" }),
        " ", isCut(value) && button("Save in full", (event) => app.run(() =>
          save("value", { collection, id, field: field.name, at: app.at }, field.name), event),
        { class: "link" })));
    const edit = () => {
      const isText = field.type === "text";
      const area = h("textarea", { rows: "4", "aria-label": field.name,
        value: isText ? textOf(value)
          : value === null ? "null" : typeof value === "object" && "json" in value
            ? JSON.stringify(value.json) : JSON.stringify(typeof value === "object" ? textOf(value) : value) });
      fill(cell, area, h("div", { class: "row" },
        button("Write it", (event) => app.run(async () => {
          let changed = area.value;
          if (!isText) {
            try { changed = JSON.parse(area.value); } catch {
              return app.say("That is no value: write it as in JSON, such as 12 or \"a text\".");
            }
          }
          return write("update", { [field.name]: changed }, entity);
        }, event), { class: "main" }), button("Cancel", show)));
      area.focus();
    };
    const blameText = async () => {
      const { parts } = await get("blame", { collection, id, field: field.name });
      const names = [...new Set(parts.map((part) => part.actor))];
      fill(cell, h("div", { class: "blame" }, parts.map((part) => h("a", {
        href: place("event", part.event), class: "part", "data-hue": hue(part.actor),
        title: `${part.actor || "nobody named"}, ${when(part.authored)}`,
      }, textOf(part.text)))),
      h("p", { class: "legend" }, names.map((name) => h("span", { class: "key" },
        h("i", { class: "dot", "data-hue": hue(name) }), name || "nobody named"))),
      button("Back to the text", show, { class: "link" }));
    };
    show();
    return [h("dt", null, field.name, h("span", { class: "small" }, " " + field.type)), cell];
  }

  const list = h("ol", { class: "history" });
  function showHistory(history, isMore) {
    cursor = history.cursor;
    const items = history.writes.map(writeView);
    if (isMore) list.append(...items);
    else fill(list, items);
    fill(past, h("h3", { id: "h-history" }, "History"), list,
      history.truncated && button("Show earlier writes", (event) => app.run(async () =>
        showHistory(await get("history", { collection, id, cursor }), true), event)));
  }

  app.run(load);
  return {
    changed(what) {
      const isEditing = head.querySelector("textarea") !== null;
      if (what === "change" && !isEditing) app.run(load);
    },
  };
}

function writeView(write) {
  return h("li", { class: write.undone ? "card undone" : "card" },
    h("p", { class: "line" }, h("b", { class: "tag" }, write.kind), who(write.actor), " ",
      timeView(write.authored), " ",
      h("a", { href: place("event", write.event) }, write.label || "this event"),
      write.undone ? h("b", { class: "tag bad" }, "undone") : null),
    write.changes.map((change) => h("div", { class: change.current ? "change current" : "change" },
      h("p", { class: "field" }, change.field,
        change.current ? h("b", { class: "tag good" }, "counts") : null,
        change.conflict ? h("b", { class: "tag bad" }, "in conflict") : null),
      h("div", { class: write.kind === "insert" && change.from === null ? "fromto first" : "fromto" },
        write.kind === "insert" && change.from === null ? null
          : h("div", { class: "from" }, h("span", { class: "sr" }, "from "), valueView(change.from, 1000)),
        h("div", { class: "to" }, h("span", { class: "sr" }, "to "), valueView(change.to, 1000))))));
}
