// Time: a timeline that is scrubbed by mouse and keys, the store at each moment, and differences.
import { get, post } from "./api.js";
import { button, count, fill, h, place, timeView, valueView, when, who, wrote }
  from "./dom.js";
import { rowsTable } from "./table.js";

const PARTS = 240;

export function timePage(app, main) {
  const canvas = h("canvas", { class: "histogram", "aria-hidden": "true" });
  const cursor = h("div", { class: "cursor", "aria-hidden": "true" });
  const markLine = h("div", { class: "cursor mark", "aria-hidden": "true", hidden: true });
  const slider = h("div", {
    class: "timeline", role: "slider", tabindex: "0", "aria-label": "Moment", "aria-valuemin": "0",
    "aria-valuemax": "0", "aria-valuenow": "0",
  }, canvas, markLine, cursor);
  const range = h("p", { class: "range" });
  const legend = h("p", { class: "legend" });
  const here = h("div", { class: "here" });
  const around = h("ol", { class: "events", "aria-label": "Events up to the moment, the last first" });
  const state = h("div", { class: "state" });
  const difference = h("div");
  const links = h("ul", { class: "events connections", "aria-label": "Connections and incidents" });

  let view = null;
  let moment = null;
  let mark = null;
  let collection = sessionStorage.getItem("daybook-collection");

  main.append(
    h("section", { "aria-labelledby": "h-time" },
      h("h2", { id: "h-time" }, "Time"),
      h("div", { class: "timebar" }, slider, range,
        h("div", { class: "row tools" },
          button("Earlier", () => step(-1), { class: "step", title: "One event back (←)" }),
          button("Later", () => step(1), { class: "step", title: "One event on (→)" }),
          button("Zoom in", () => zoom(0.4)), button("Zoom out", () => zoom(2.5)),
          button("All", () => app.run(loadTimeline)),
          button("Now", () => seek({}), { title: "The last event (End)" })),
        legend)),
    h("div", { class: "columns" },
      h("section", { "aria-labelledby": "h-moment" },
        h("h3", { id: "h-moment" }, "At this moment"), here, around),
      h("section", { "aria-labelledby": "h-state" },
        h("h3", { id: "h-state" }, "The store then"), state)),
    h("section", { "aria-labelledby": "h-diff" },
      h("h3", { id: "h-diff" }, "Compare two moments"), difference),
    h("section", { "aria-labelledby": "h-links" },
      h("h3", { id: "h-links" }, "Connections"), links));

  // The picture.

  async function loadTimeline(span) {
    view = await get("timeline", { parts: PARTS, from: span?.[0], to: span?.[1] });
    draw();
    showCursor();
    showConnections();
  }

  function draw() {
    const context = canvas.getContext("2d");
    const [width, height] = [slider.clientWidth || 600, slider.clientHeight || 96];
    const scale = window.devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    context.scale(scale, scale);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement);
    const sums = new Array(PARTS).fill(0);
    for (const origin of view.origins) origin.counts.forEach((value, part) => { sums[part] += value; });
    const most = Math.max(1, ...sums);
    // A part with one event among parts with thousands is still to be seen.
    const tall = (value) => value === 0 ? 0
      : Math.max(3, (Math.log1p(value) / Math.log1p(most)) * (height - 18));
    const bar = width / PARTS;
    for (let part = 0; part < PARTS; part += 1) {
      let top = height;
      view.origins.forEach((origin, number) => {
        const value = origin.counts[part];
        if (value === 0) return;
        const size = tall(sums[part]) * (value / sums[part]);
        top -= size;
        context.fillStyle = style.getPropertyValue(`--hue${number % 8}`) || "gray";
        context.fillRect(part * bar, top, Math.max(1, bar - 0.5), size);
      });
    }
    context.fillStyle = style.getPropertyValue("--bad");
    for (const entry of view.connections) {
      if (entry.phase === "idle") context.fillStyle = style.getPropertyValue("--good");
      else context.fillStyle = style.getPropertyValue("--bad");
      const x = toX(entry.time);
      if (x >= 0 && x <= width) context.fillRect(x - 1.5, 2, 3, 8);
    }
    for (const incident of view.incidents) {
      context.fillStyle = style.getPropertyValue("--warn");
      const x = toX(incident.time);
      if (x >= 0 && x <= width) context.fillRect(x - 1.5, 2, 3, 8);
    }
    range.replaceChildren(h("span", null, when(view.from)), h("span", null, when(view.to)));
    fill(legend, view.origins.slice(0, 8).map((origin, number) => h("span", { class: "key" },
      h("i", { class: "dot", "data-hue": number % 8 }),
      origin.own ? "this replica" : origin.local ? "local, not synced" : origin.origin.slice(0, 8))));
  }

  const toX = (time) =>
    ((time - view.from) / Math.max(1, view.to - view.from)) * (slider.clientWidth || 1);
  // A pixel is the moment at its end, so that it shows all that is drawn in it.
  const toTime = (x) => Math.round(view.from
    + ((Math.floor(x) + 1) / Math.max(1, slider.clientWidth)) * (view.to - view.from));

  function showCursor() {
    if (!view || !moment) return;
    const share = (time) => Math.min(100, Math.max(0,
      ((time - view.from) / Math.max(1, view.to - view.from)) * 100));
    cursor.style.insetInlineStart = `${share(moment.time ?? view.from)}%`;
    markLine.hidden = mark === null;
    if (mark) markLine.style.insetInlineStart = `${share(mark.time ?? view.from)}%`;
    slider.setAttribute("aria-valuemax", String(moment.total));
    slider.setAttribute("aria-valuenow", String(moment.events));
    slider.setAttribute("aria-valuetext", moment.last
      ? `event ${moment.events} of ${moment.total}, ${when(moment.time)}, `
        + `${moment.last.actor || "nobody named"}: ${moment.last.label || wrote(moment.last)}`
      : "before the first event");
  }

  function zoom(factor) {
    if (!view || view.from === null) return;
    const middle = moment?.time ?? (view.from + view.to) / 2;
    const half = Math.max(50, ((view.to - view.from) * factor) / 2);
    const from = Math.max(view.first, Math.round(middle - half));
    const to = Math.min(view.last, Math.round(middle + half));
    app.run(() => loadTimeline(factor > 1 && from <= view.first && to >= view.last
      ? undefined : [from, Math.max(to, from + 1)]));
  }

  // Moving. One request runs at a time; what was wanted meanwhile is the next one.

  let isMoving = false;
  let wanted = null;
  let resting = 0;

  async function seek(query) {
    wanted = query;
    if (isMoving) return;
    isMoving = true;
    try {
      while (wanted) {
        const next = wanted;
        wanted = null;
        await move(next);
      }
    } catch (error) { app.fail(error); } finally { isMoving = false; }
  }

  async function move(query) {
    moment = await get("moment", { ...query, around: 12 });
    const isNow = moment.events === moment.total;
    app.setMoment(isNow ? null
      : { vector: moment.vector, time: moment.time, events: moment.events });
    showCursor();
    showMoment();
    await loadState();
    clearTimeout(resting);
    resting = setTimeout(() => app.run(loadCounts), 350);
  }

  function step(number) {
    if (!moment) return;
    // Steps that come while one is under way add up.
    if (isMoving && wanted?.step) wanted = { ...wanted, step: wanted.step + number };
    else seek({ at: moment.vector, step: number });
  }

  slider.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 100, PageDown: -100 };
    if (event.key in steps) step(steps[event.key] * (event.shiftKey ? 10 : 1));
    else if (event.key === "Home") seek({ at: moment?.vector, step: -10_000 });
    else if (event.key === "End") seek({});
    else if (event.key === "+") zoom(0.4);
    else if (event.key === "-") zoom(2.5);
    else return;
    event.preventDefault();
  });
  const seekTo = (event) => {
    if (!view || view.from === null) return;
    const x = event.clientX - slider.getBoundingClientRect().left;
    const time = Math.min(view.to, Math.max(view.from, toTime(x)));
    cursor.style.insetInlineStart =
      `${((time - view.from) / Math.max(1, view.to - view.from)) * 100}%`;
    seek({ at: new Date(time).toISOString() });
  };
  slider.addEventListener("pointerdown", (event) => {
    slider.setPointerCapture(event.pointerId);
    slider.focus({ preventScroll: true });
    seekTo(event);
  });
  slider.addEventListener("pointermove", (event) => {
    if (slider.hasPointerCapture(event.pointerId)) seekTo(event);
  });
  slider.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.6 : 0.6);
  }, { passive: false });

  // What is shown of a moment.

  function showMoment() {
    const last = moment.last;
    fill(here, last
      ? h("article", { class: "card" },
        h("h4", null, h("a", { href: place("event", last.event) }, last.label || wrote(last))),
        h("p", null, who(last.actor), " ", timeView(last.authored)),
        h("p", { class: "small" },
          `Event ${moment.events.toLocaleString("en")} of ${moment.total.toLocaleString("en")} · `,
          wrote(last), " · ", last.stamped ? "stamped" : "not stamped"))
      : h("p", { class: "quiet" }, "Before the first event."));
    fill(around, moment.before.slice(1).map((event) => h("li", null,
      h("a", { href: place("event", event.event) }, event.label || wrote(event)), " ",
      who(event.actor), " ", timeView(event.authored))));
    showDifference();
  }

  let table = null;
  const picker = h("select", { "aria-label": "Collection", onchange: (event) => {
    collection = event.target.value;
    sessionStorage.setItem("daybook-collection", collection);
    table = null;
    app.run(loadState);
  } });
  const counts = h("p", { class: "small", role: "status" });

  async function loadCollections() {
    const { collections } = await get("schema");
    if (!collections.some((one) => one.name === collection)) {
      collection = (collections.find((one) => !one.relationship) ?? collections[0])?.name ?? null;
    }
    fill(picker, collections.map((one) =>
      h("option", { value: one.name, selected: one.name === collection }, one.name)));
    if (collections.length === 0) fill(state, h("p", { class: "quiet" }, "Nothing is defined yet."));
  }

  async function loadState() {
    if (!collection || !moment) return;
    const page = await get("rows/past", { collection, at: moment.vector, limit: 12 });
    if (!table) {
      table = rowsTable(collection, `${collection} at the moment`);
      fill(state, h("div", { class: "row" }, picker), counts, table.element);
    }
    table.show(page.columns, page.rows, { compare: true });
    const isAll = page.next === null;
    counts.textContent = isAll
      ? count(page.rows.length, "entity", "entities") + " then"
      : page.rows.length === 0 ? "None among those looked at so far…" : "The first ones";
  }

  /** When the moment rests, all of it is built, if that takes no more than a moment. */
  async function loadCounts() {
    const at = moment.vector;
    if (moment.total > 200_000 && moment.events !== moment.total) {
      counts.append(" ", button("Build this moment in full", (event) => app.run(() => build(at), event)));
      return;
    }
    await build(at);
  }

  async function build(at) {
    const { collections } = await post("past", { at });
    if (moment.vector !== at) return;
    counts.textContent = collections.map((one) =>
      `${one.name} ${one.entities.toLocaleString("en")}`).join(" · ") || "No collections then";
  }

  // Two moments.

  function showDifference() {
    const words = mark
      ? [`From ${when(mark.time, true)} `, `to ${when(moment.time, true)}: `]
      : ["Mark this moment, then move to another one. "];
    const list = h("div");
    fill(difference, h("p", null, words,
      button(mark ? "Mark this moment instead" : "Mark this moment", () => {
        mark = { vector: moment.vector, time: moment.time };
        showCursor();
        showDifference();
      }),
      mark && " ", mark && button("Show what differs", (event) => app.run(async () => {
        const page = await get("diff", { from: mark.vector, to: moment.vector });
        fill(list, h("p", null, page.count === 0 ? "Nothing differs."
          : count(page.count, "entity differs", "entities differ")
            + (page.truncated ? `, of which these are the first ${page.changes.length}` : "") + "."),
        page.changes.map(differenceView));
      }, event), { class: "main" }),
      mark && " ", mark && button("Forget the mark", () => {
        mark = null;
        showCursor();
        showDifference();
      })), list);
  }

  function showConnections() {
    const entries = [
      ...view.connections.map((one) => ({
        time: one.time, bad: one.phase === "offline" || one.phase === "error",
        words: `${one.address}: ${one.message ?? { idle: "in sync", paused: "paused" }[one.phase] ?? one.phase}`,
      })),
      ...view.incidents.map((one) => ({
        time: one.time, bad: one.level !== "notice",
        words: one.message + (one.count > 1 ? ` (${one.count} times)` : ""),
      })),
    ].sort((a, b) => b.time - a.time);
    fill(links, entries.length === 0
      ? h("li", { class: "quiet" }, "Nothing has happened with peers since the inspector was started.")
      : entries.slice(0, 100).map((entry) => h("li", { class: entry.bad ? "bad" : "" },
        timeView(entry.time), " ", entry.words, " ",
        button("Go there", () => seek({ at: new Date(entry.time).toISOString() }), { class: "link" }))));
  }

  const resized = new ResizeObserver(() => view && draw());
  resized.observe(slider);
  app.run(async () => {
    await Promise.all([loadTimeline(), loadCollections()]);
    await seek(app.moment ? { at: app.moment.vector } : {});
  });
  return {
    changed(what) {
      app.run(() => loadTimeline());
      if (what === "change" && !app.moment) seek({});
      else if (what === "change" && moment) seek({ at: moment.vector });
    },
    end() {
      resized.disconnect();
      clearTimeout(resting);
    },
  };
}

function differenceView(change) {
  const kind = change.before === null ? "came" : change.after === null ? "went" : "changed";
  return h("article", { class: "card difference" },
    h("h4", null, h("b", { class: "tag " + kind }, kind), " ",
      h("a", { href: place("entity", change.collection, change.id) },
        `${change.collection} ${change.id}`)),
    change.fields.map((field) => h("div", { class: "change" },
      h("p", { class: "field" }, field),
      h("div", { class: "fromto" },
        h("div", { class: "from" }, h("span", { class: "sr" }, "from "),
          valueView(change.before?.[field], 1000)),
        h("div", { class: "to" }, h("span", { class: "sr" }, "to "),
          valueView(change.after?.[field], 1000))))));
}

