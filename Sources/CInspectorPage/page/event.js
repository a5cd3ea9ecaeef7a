// One event: who, when, why it counts where it counts, and undo.
import { get, post } from "./api.js";
import { button, count, fill, h, place, timeView, valueView, when, who, wrote } from "./dom.js";

export function eventPage(app, main, [id]) {
  const body = h("section", { class: "event" }, h("p", { class: "quiet" }, "Reading the event…"));
  main.append(body);

  async function load() {
    const event = await get("event", { event: id });
    fill(body, eventView(app, event, load));
  }
  app.run(load);
  return { changed: (what) => what === "change" && app.run(load) };
}

/** Everything about an event. `reload` is called after it was undone. */
export function eventView(app, event, reload) {
  const isUndo = event.writes.some((write) => write.kind === "undo" || write.kind === "redo");
  const canUndo = !app.store.readOnly && event.readable && event.entities.length > 0;
  return [
    h("h2", null, event.label || wrote(event)),
    h("p", { class: "line" }, who(event.actor), " wrote it ", timeView(event.authored),
      event.undone ? h("b", { class: "tag bad" }, "undone") : null,
      event.local ? h("b", { class: "tag" }, "never leaves this replica") : null),
    h("div", { class: "row" },
      button("Show the store then", () => app.run(async () => {
        const moment = await get("moment", { at: event.event });
        app.setMoment({ vector: moment.vector, time: moment.time, events: moment.events });
        app.go("time");
      })),
      canUndo && button(event.undone ? "Let it count again" : isUndo ? "Undo this undo" : "Undo it",
        (click) => app.run(async () => {
          const path = event.undone ? "redo" : "undo";
          const made = await post(path, { event: event.event });
          app.say(made.event ? (event.undone ? "It counts again." : "Undone. What was written since stays.")
            : "There was nothing to take back.",
          made.event && button("Take that back", (again) => app.run(async () => {
            await post("undo", { event: made.event });
            app.say("Taken back.");
            await reload();
          }, again)));
          await reload();
        }, click), { class: event.undone ? "" : "danger" })),
    event.entities.map((entity) => h("article", { class: "card" },
      h("h3", null, h("a", { href: place("entity", entity.collection, entity.id) },
        `${entity.collection} ${entity.id}`)),
      entity.writes.map((write) => h("div", { class: "write" },
        h("p", null, h("b", { class: "tag" }, write.kind), write.undone ? " It does not count." : ""),
        write.changes.map((change) => changeView(change)))))),
    event.entityCount > event.entities.length && h("p", { class: "quiet" },
      `It wrote to ${count(event.entityCount, "entity", "entities")}; the first `
      + `${event.entities.length} are shown.`),
    h("details", { class: "facts", open: event.entities.length === 0 },
      h("summary", null, "Where it stands"),
      h("dl", null,
        h("dt", null, "Event"), h("dd", null, h("code", null, event.event)),
        h("dt", null, "Written"), h("dd", null, when(event.authored, true)),
        h("dt", null, "Stamped"), h("dd", null, event.stamped
          ? `${when(event.stamped, true)}, by hub ${event.hub}`
          : "not yet: it ranks above all that is stamped, by its author's clock"),
        h("dt", null, "Its author had seen"), h("dd", null, event.causes.length === 0
          ? "only events of the same replica"
          : h("ul", null, event.causes.slice(0, 50).map((cause) =>
            h("li", null, "all up to ", h("a", { href: place("event", cause) }, h("code", null, cause)))))),
        Object.entries(event.annotations).map(([key, value]) =>
          [h("dt", null, key), h("dd", null, value)]))),
  ];
}

function changeView(change) {
  return h("div", { class: change.current ? "change current" : "change" },
    h("p", { class: "field" }, change.field,
      change.conflict ? h("b", { class: "tag bad" }, "in conflict") : null),
    h("div", { class: "fromto" },
      h("div", { class: "from" }, h("span", { class: "sr" }, "from "), valueView(change.from, 2000)),
      h("div", { class: "to" }, h("span", { class: "sr" }, "to "), valueView(change.to, 2000))),
    h("p", { class: "small" }, change.why,
      change.overrode && [" It replaced what ", who(change.overrode.actor), " wrote ",
        h("a", { href: place("event", change.overrode.event) }, when(change.overrode.authored)), "."],
      change.overriddenBy && [" What counts is by ", who(change.overriddenBy.actor), ", ",
        h("a", { href: place("event", change.overriddenBy.event) },
          when(change.overriddenBy.authored)), "."]));
}
