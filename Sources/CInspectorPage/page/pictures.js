// Pictures: the graph, events per day and author, sizes, latencies.
import { get } from "./api.js";
import { bytes, count, fill, h, hue, place, s, when } from "./dom.js";
import { graphPicture } from "./graph.js";

const KINDS = { graph: "Graph", days: "Days and authors", sizes: "Sizes", latency: "Latency" };

export function picturesPage(app, main, [kind = "graph", given]) {
  const body = h("section", { class: "picture", "aria-labelledby": "h-picture" });
  main.append(h("section", null, h("h2", null, "Pictures"),
    h("ul", { class: "subtabs" }, Object.entries(KINDS).map(([name, words]) => h("li", null,
      h("a", { href: place("pictures", name), "aria-current": name === kind ? "page" : null }, words))))),
  body);
  const pictures = {
    graph: () => graphPicture(app, body, given), days: () => days(app, body),
    sizes: () => sizes(app, body), latency: () => latency(app, body),
  };
  return (pictures[kind] ?? pictures.graph)() ?? {};
}

function days(app, body) {
  let timer = 0;
  async function load() {
    const answer = await get("days");
    const authors = new Map();
    const sums = new Map();
    for (const [day, actor, number] of answer.days) {
      authors.set(actor, (authors.get(actor) ?? 0) + number);
      sums.set(day, (sums.get(day) ?? 0) + number);
    }
    const byAuthor = [...authors].sort((a, b) => b[1] - a[1]);
    const list = [...sums.keys()].sort().slice(-370);
    const most = Math.max(1, ...list.map((day) => sums.get(day)));
    const [width, height, bar] = [Math.max(320, list.length * 14), 220, 12];
    const order = new Map(byAuthor.map(([actor], rank) => [actor, rank]));
    const tops = new Map(list.map((day) => [day, height - 20]));
    const bars = answer.days.filter(([day]) => tops.has(day))
      .sort((a, b) => order.get(a[1]) - order.get(b[1])).map(([day, actor, number]) => {
        const size = Math.max(1, (number / most) * (height - 40));
        const y = tops.get(day) - size;
        tops.set(day, y);
        return s("rect", {
          x: list.indexOf(day) * 14 + 1, y, width: bar, height: size, "data-hue": hue(actor),
        }, s("title", null, `${day}, ${actor || "nobody named"}: ${count(number, "event")}`));
      });
    fill(body, h("h3", { id: "h-picture" }, "Events per day and author"),
      answer.counted < answer.total
        && h("p", { class: "small", role: "status" },
          `Counted ${answer.counted.toLocaleString("en")} of ${answer.total.toLocaleString("en")} events…`),
      list.length > 0 && h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Days" },
        s("svg", { width, height, role: "img",
          "aria-label": `Events of ${count(list.length, "day")}, ${list[0]} to ${list.at(-1)}` }, bars,
        s("text", { x: 0, y: height - 4 }, list[0]),
        list.length > 14 && s("text", { x: width, y: height - 4, "text-anchor": "end" }, list.at(-1)))),
      h("table", null, h("caption", null, "Authors"),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Author"),
          h("th", { scope: "col", class: "right" }, "Events"), h("th", { scope: "col" }, "Last day"))),
        h("tbody", null, byAuthor.slice(0, 50).map(([actor, number]) => h("tr", null,
          h("th", { scope: "row" }, h("i", { class: "dot", "data-hue": hue(actor) }), actor || "nobody named"),
          h("td", { class: "right" }, number.toLocaleString("en")),
          h("td", null, answer.days.filter((day) => day[1] === actor).at(-1)[0]))))));
    if (answer.counted < answer.total) timer = setTimeout(() => app.run(load), 500);
  }
  app.run(load);
  return {
    changed: (what) => what === "change" && app.run(load),
    end: () => clearTimeout(timer),
  };
}

/** A bar for each item, with its words and number as a table. */
function bars(caption, items, words) {
  const most = Math.max(1, ...items.map((item) => item.number));
  return h("table", { class: "bars" }, h("caption", null, caption),
    h("tbody", null, items.map((item) => h("tr", null,
      h("th", { scope: "row" }, item.name),
      h("td", { class: "right" }, words(item.number)),
      h("td", { class: "bar" }, s("svg", { width: "100%", height: 14, "aria-hidden": "true" },
        s("rect", { width: `${(item.number / most) * 100}%`, height: 14, rx: 3, class: "bar" })))))));
}

function sizes(app, body) {
  async function load() {
    const answer = await get("sizes");
    fill(body, h("h3", { id: "h-picture" }, "Sizes"),
      bars("Entities of each collection", answer.collections.map((one) =>
        ({ name: one.name, number: one.entities })).sort((a, b) => b.number - a.number),
      (number) => number.toLocaleString("en")),
      bars("The store on the disk", [
        { name: "log", number: answer.logBytes }, { name: "read model", number: answer.readModelBytes },
      ], bytes),
      bars("Files of the log", answer.segments.slice(-60).map((one) =>
        ({ name: `${one.number}${one.sealed ? "" : " (open)"}`, number: one.bytes })), bytes));
  }
  app.run(load);
  return { changed: (what) => what === "change" && app.run(load) };
}

function latency(app, body) {
  async function load() {
    const { latencies } = await get("latencies");
    const most = Math.max(1, ...latencies.map((one) => one.milliseconds));
    const [width, height] = [640, 200];
    const sorted = latencies.map((one) => one.milliseconds).sort((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    fill(body, h("h3", { id: "h-picture" }, "Latency of syncs"),
      latencies.length === 0
        ? h("p", { class: "quiet" }, "No exchange since the inspector was started. Start it with ",
          h("code", null, "--sync PEER"), ".")
        : [h("p", null, `${count(latencies.length, "exchange")}: half took at most ${at(0.5)} ms, `
            + `99 in 100 at most ${at(0.99)} ms.`),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Latencies" },
          s("svg", { width, height, role: "img", "aria-label": `Latencies up to ${most} ms` },
            latencies.map((one, number) => s("circle", {
              cx: ((number + 0.5) / latencies.length) * width,
              cy: height - 6 - (one.milliseconds / most) * (height - 24), r: 3, class: "bar",
            }, s("title", null, `${when(one.time)}: ${one.milliseconds} ms, ${count(one.events, "event")}`))),
            s("text", { x: 0, y: 12 }, `${most} ms`)))]);
  }
  app.run(load);
  return { changed: (what) => what === "peers" && app.run(load) };
}
