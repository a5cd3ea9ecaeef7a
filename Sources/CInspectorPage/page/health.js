// Health: status and its cures, verify with progress, backup.
import { get, listen } from "./api.js";
import { bytes, button, count, fill, h, timeView } from "./dom.js";
import { sentence } from "./app.js";

export function healthPage(app, main) {
  const status = h("div");
  const verified = h("div");
  const saved = h("div");
  const facts = h("div");
  let running = null;
  const folder = h("input", { type: "text", id: "backupfolder", placeholder: "/home/you/notes.backup",
    spellcheck: "false", autocomplete: "off" });
  main.append(
    h("section", { "aria-labelledby": "h-health" }, h("h2", { id: "h-health" }, "Health"), status),
    h("section", { "aria-labelledby": "h-verify" }, h("h2", { id: "h-verify" }, "Verify"),
      h("p", null, "Reads every byte of the log, checks the chain of hashes, and compares the tables "
        + "with new ones that are made from the log."),
      button("Verify now", (event) => app.run(verify, event), { class: "main" }), verified),
    !app.store?.readOnly && h("section", { "aria-labelledby": "h-backup" },
      h("h2", { id: "h-backup" }, "Backup"),
      h("form", { class: "row", onsubmit: (event) => {
        event.preventDefault();
        app.run(backup);
      } }, h("label", { for: "backupfolder" }, "Folder on this machine"), folder,
      h("button", { type: "submit" }, "Back up")), saved),
    h("section", { "aria-labelledby": "h-facts" }, h("h2", { id: "h-facts" }, "The store"), facts));

  async function load() {
    const answer = await get("status");
    fill(status,
      answer.healthy
        ? h("p", { class: "fine big" }, "Healthy")
        : answer.problems.map((problem) => h("article", { class: "card bad" },
          h("h3", null, sentence(problem.message)),
          h("p", { class: "cure" }, h("b", null, "Do this: "), sentence(problem.cure)))),
      answer.damage.length > 0 && h("ul", null, answer.damage.map((line) => h("li", null, line))));
    const lines = [
      ["Events", count(answer.events, "event")],
      ["Log", `${bytes(answer.logBytes)} in ${count(answer.segments, "file")}`],
      ["Read model", `${bytes(answer.readModelBytes)}, ${answer.lag === 0 ? "up to date"
        : count(answer.lag, "event") + " behind the log"}`],
      answer.waiting > 0 && ["Behind a gap", count(answer.waiting, "event")],
      ["Conflicts", String(answer.conflicts)],
      answer.misfits > 0 && ["Misfits", count(answer.misfits, "value")],
      answer.parked > 0 && ["Parked", count(answer.parked, "value")],
      answer.cycles > 0 && ["Cycles", count(answer.cycles, "reference")],
      answer.opaque > 0 && ["Of a later version", count(answer.opaque, "event")],
      ["Replica", h("code", null, app.store.replica)],
      answer.zone && ["Zone", h("code", null, answer.zone)],
      ["Last backup", answer.backup
        ? [timeView(answer.backup.time), ` in ${answer.backup.folder}`] : "none"],
    ].filter(Boolean);
    fill(facts, h("dl", null, lines.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
      h("h3", null, "Incidents"),
      answer.incidents.length === 0 ? h("p", { class: "quiet" }, "None.")
        : h("ul", { class: "events" }, answer.incidents.map((incident) => h("li",
          { class: incident.level === "notice" ? "" : "bad" }, timeView(incident.time),
          ` ${incident.level}: ${incident.message}${incident.count > 1 ? ` (${incident.count} times)` : ""}`))));
  }

  async function job(path, body, element, done) {
    running = new AbortController();
    const bar = h("progress", { max: "1", "aria-label": "Progress" });
    const words = h("p", { class: "small", role: "status" }, "Reading…");
    fill(element, bar, words);
    let isOver = false;
    await listen("POST", path, body, (event, data) => {
      if (event === "progress") {
        bar.value = data.total === 0 ? 0 : data.done / data.total;
        words.textContent = `${bytes(data.done)} of ${bytes(data.total)}`;
      } else if (event === "failure") {
        isOver = true;
        fill(element, h("p", { class: "problem" }, sentence(data.message), " ", data.cure ?? ""));
      } else if (event === "result") {
        isOver = true;
        fill(element, done(data));
      }
    }, running.signal);
    if (!isOver) fill(element, h("p", { class: "problem" }, "It ended without a result."));
  }

  const verify = () => job("verify", {}, verified, (result) => [
    h("p", { class: result.sound ? "fine" : "problem" }, result.sound
      ? "Sound: the log and the tables are what was written." : "Not sound."),
    result.findings.length > 0 && h("ul", null, result.findings.map((line) => h("li", null, line))),
    result.notes.map((note) => h("p", { class: "small" }, sentence(note))),
    result.digest && h("p", { class: "small" }, "Digest ", h("code", null, result.digest))]);

  const backup = () => job("backup", { folder: folder.value.trim() }, saved, (result) =>
    h("p", { class: "fine" }, `The backup holds ${count(result.events, "event")} in ${bytes(result.bytes)}; `
      + `${bytes(result.copied)} were copied now.`));

  app.run(load);
  return {
    changed: (what) => what === "change" && app.run(load),
    end: () => running?.abort(),
  };
}
