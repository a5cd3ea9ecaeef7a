// What waits, why, and the cure: peers, conflicts, hidden values.
import { get, post } from "./api.js";
import { ago, button, count, fill, h, isCut, place, textOf, timeView, valueView, when, who }
  from "./dom.js";
import { differences, merge } from "./merge.js";
import { sentence } from "./app.js";

export function waitingPage(app, main) {
  const conflicts = h("div", { class: "cards" });
  const peers = h("div", { class: "cards" });
  const hidden = h("div");
  main.append(
    h("section", { "aria-labelledby": "h-conflicts" },
      h("h2", { id: "h-conflicts" }, "Conflicts"), conflicts),
    h("section", { "aria-labelledby": "h-peers" }, h("h2", { id: "h-peers" }, "Peers"), peers),
    h("section", { "aria-labelledby": "h-hidden" },
      h("h2", { id: "h-hidden" }, "Hidden values"), hidden));

  let cursor = null;
  /** The conflicts that are shown: nobody's typing is lost when the store changes. */
  let known = new Map();

  async function loadConflicts(isMore = false) {
    const page = await get("conflicts", { cursor: isMore ? cursor : null });
    cursor = page.cursor;
    const cards = new Map(isMore ? known : []);
    for (const conflict of page.conflicts) {
      const key = JSON.stringify([
        conflict.collection, conflict.id, conflict.field, conflict.attribute,
        conflict.writes.map((write) => write.event),
      ]);
      cards.set(key, known.get(key) ?? conflictCard(app, conflict, reload));
    }
    known = cards;
    const isFocused = conflicts.contains(document.activeElement);
    if (cards.size === 0) {
      fill(conflicts, h("p", { class: "fine" }, "No conflicts: nobody's write waits for a decision."));
      if (isFocused) main.focus({ preventScroll: true });
      return;
    }
    for (const child of [...conflicts.children]) {
      if (![...cards.values()].includes(child)) child.remove();
    }
    for (const card of cards.values()) if (!card.isConnected) conflicts.append(card);
    if (page.truncated) {
      conflicts.append(button("Show more conflicts", () => app.run(() => loadConflicts(true))));
    }
    if (isFocused && !conflicts.contains(document.activeElement)) {
      conflicts.querySelector("button")?.focus();
    }
  }

  async function loadPeers() {
    const answer = await get("peers");
    fill(peers,
      answer.peers.map((peer) => peerCard(app, peer)),
      answer.peers.length === 0
        && h("p", { class: "quiet" }, "This store has not synced with anybody yet. Start the ",
          "inspector with ", h("code", null, "--sync PEER"), " to sync it while you look."),
      answer.peers.length > 0 && !answer.syncing
        && h("p", { class: "quiet" }, "This is what the last sync has left. Start the inspector with ",
          h("code", null, "--sync PEER"), " to sync from here."));
  }

  async function loadHidden() {
    const page = await get("hidden");
    if (page.hidden.length === 0) {
      fill(hidden, h("p", { class: "fine" }, "None: the tables show every value of every entity."));
      return;
    }
    fill(hidden, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Hidden values" },
      h("table", null,
        h("caption", { class: "sr" }, "Values that tables do not show"),
        h("thead", null, h("tr", null, ["Where", "Value", "Why", "What to do"].map((title) =>
          h("th", { scope: "col" }, title)))),
        h("tbody", null, page.hidden.map((value) => h("tr", null,
          h("td", null, h("a", { href: place("entity", value.collection, value.id) },
            `${value.collection} ${value.id}`), ` ${value.field}`),
          h("td", null, valueView(value.value, 300)),
          h("td", null, h("b", null, value.reason), ": " + value.message),
          h("td", null, value.cure)))))),
      page.truncated && h("p", { class: "quiet" }, "There are more."));
  }

  function reload() {
    return Promise.all([loadConflicts(), app.refreshStore()]);
  }
  app.run(loadConflicts);
  app.run(loadPeers);
  app.run(loadHidden);
  return {
    changed(what) {
      app.run(loadPeers);
      if (what === "change") {
        app.run(() => loadConflicts());
        app.run(loadHidden);
      }
    },
  };
}

// A conflict.

function conflictCard(app, conflict, reload) {
  const { collection, id, field, writes } = conflict;
  const isDefinition = id === null;
  const isExistence = !isDefinition && field === "";
  const title = isDefinition
    ? `the definition of ${collection}`
    : isExistence ? `whether ${collection} ${id} exists` : `${field} of ${collection} ${id}`;
  const [first, second] = writes;
  const isText = writes.every((write) => typeof write.value === "string" && !write.deletion)
    && conflict.type === "text";
  const parts = isText && writes.length === 2 ? differences(first.value, second.value) : null;
  const editor = h("div", { class: "editor" });
  const seen = writes.map((write) => write.event);

  function settle(choice, words) {
    return async () => {
      const { event } = await post("conflicts/settle",
        { collection, id, field, events: seen, ...choice });
      app.say(words, event && button("Undo", (click) => app.run(async () => {
        await post("undo", { event });
        app.say("Undone: the conflict is open again.");
        await reload();
      }, click)));
      await reload();
    };
  }

  const card = h("article", { class: "card conflict", "aria-label": "Conflict about " + title },
    h("h3", null, isDefinition ? title
      : [h("span", { class: "field" }, isExistence ? "exists" : field), " of ",
        h("a", { href: place("entity", collection, id) }, `${collection} ${id}`)]),
    h("div", { class: "sides" }, writes.map((write, number) =>
      h("div", { class: write.shown ? "side shown" : "side" },
        h("p", { class: "by" }, write.shown ? h("b", { class: "tag" }, "shown") : null,
          who(write.actor), " ", timeView(write.authored)),
        h("div", { class: "value" },
          write.deletion ? h("span", { class: "null" }, "deleted")
            : parts ? (number === 0 ? parts.one : parts.other).map((part) =>
              part.same ? part.text : h("mark", null, part.text))
              : valueView(write.value, 2000)),
        h("p", { class: "small" }, write.label ? `“${write.label}” · ` : "",
          write.stamped ? "stamped " + when(write.stamped) : "not stamped yet", " · ",
          h("a", { href: place("event", write.event) }, "why it ranks there")),
        !isDefinition && !app.store.readOnly
          && button(write.shown ? "Keep this" : writes.length === 2 ? "Take the other" : "Take this",
            (event) => app.run(settle({ write: write.event },
              `Settled: ${title} is ${describe(write)}.`), event),
            { class: write.shown ? "" : "main" })))),
    isDefinition && h("p", { class: "quiet" },
      "A conflict of definitions is settled by the app that defines the collection."),
    !isDefinition && !isExistence && !app.store.readOnly && h("div", { class: "more" },
      isText && writes.length === 2 && button("Merge the two texts", () => {
        const base = typeof conflict.base === "string" ? conflict.base : "";
        const merged = merge(base, first.value, second.value);
        openEditor(merged.text, merged.clashes === 0
          ? "Each change of both is in it. Nothing overlaps."
          : `${count(merged.clashes, "place")} that both have changed: both versions stand there. `
            + "Read them, and keep what is right.");
      }),
      button("Write a value by hand", () => {
        const shown = writes.find((write) => write.shown) ?? first;
        const value = shown.value;
        if (isCut(value)) app.say("The value is too long to be written here.");
        else openEditor(conflict.type === "text" ? textOf(value) : JSON.stringify(plain(value)), "");
      })),
    editor);

  function openEditor(text, hint) {
    const label = `${field} of ${collection} ${id}`;
    const area = h("textarea", { rows: Math.min(12, 2 + text.split("\n").length), value: text,
      "aria-label": "The value that is to count for " + label });
    fill(editor,
      hint && h("p", { class: "small" }, hint), area,
      conflict.type !== "text" && h("p", { class: "small" },
        `A value of the type ${conflict.type}, as in JSON; null takes it away.`),
      h("div", { class: "row" },
        button("Let this count", (event) => app.run(async () => {
          let value = area.value;
          if (conflict.type !== "text") {
            try { value = JSON.parse(area.value); } catch {
              return app.say("That is no value: write it as in JSON, such as 12 or \"a text\".");
            }
          }
          return settle({ value }, `Settled: ${title} has the value that you wrote.`)();
        }, event), { class: "main" }),
        button("Cancel", () => {
          fill(editor);
          card.querySelector("button")?.focus();
        })));
    area.focus();
  }
  return card;
}

/** A value of an answer as a call takes it. */
function plain(value) {
  if (value === null || typeof value !== "object") return value;
  if ("json" in value) return value.json;
  return textOf(value);
}

function describe(write) {
  if (write.deletion) return "deleted";
  const text = textOf(write.value);
  return text === "" ? "empty" : `“${text.length > 60 ? text.slice(0, 60) + "…" : text}”`;
}

// A peer.

function peerCard(app, peer) {
  const words = {
    idle: "in sync", syncing: "syncing", offline: "cannot be reached", error: "has an error",
    paused: "paused",
  };
  const waits = peer.unacknowledged > 0
    ? `${count(peer.unacknowledged, "event")} to send` : "nothing to send";
  const isWritable = peer.live && !app.store.readOnly;
  const isBad = peer.problem !== null;
  return h("article", { class: isBad ? "card peer bad" : "card peer", "aria-label": "Peer " + peer.address },
    h("h3", null, peer.address),
    h("p", { class: "line" },
      h("b", { class: "tag " + peer.phase }, peer.live ? words[peer.phase] ?? peer.phase : "not syncing"),
      waits, peer.missing > 0 ? `, ${count(peer.missing, "event")} it cannot deliver` : "",
      peer.unsent > 0 ? `, ${count(peer.unsent, "event")} it does not take` : ""),
    isBad && h("p", { class: "problem" }, sentence(peer.problem),
      peer.problemSince ? h("span", { class: "small" }, " Since ", timeView(peer.problemSince), ".") : null),
    isBad && peer.cure && h("p", { class: "cure" }, h("b", null, "Do this: "), sentence(peer.cure)),
    h("p", { class: "small" },
      `Last synced ${ago(peer.lastSuccess)}`,
      peer.live ? ` · sent ${peer.sent.toLocaleString("en")}, received `
        + `${peer.received.toLocaleString("en")}` : "",
      peer.listening ? " · tells of its changes" : "",
      peer.failures > 0 ? ` · ${count(peer.failures, "attempt")} failed in a row` : ""),
    peer.listeningProblem && h("p", { class: "small" }, sentence(peer.listeningProblem)),
    peer.findings.map((finding) => h("p", { class: "small" }, sentence(finding))),
    isWritable && h("div", { class: "row" },
      button("Sync now", (event) => app.run(async () => {
        await post("peers/sync", { address: peer.address });
        app.say("Asked the peer.");
      }, event), { class: "main" }),
      button(peer.phase === "paused" ? "Go on" : "Pause", (event) => app.run(() =>
        post("peers/pause", { address: peer.address, paused: peer.phase !== "paused" }), event))));
}
