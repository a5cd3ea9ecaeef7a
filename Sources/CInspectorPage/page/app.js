// The page as a whole: its sections, the moment that it shows, and what changes.
import { Failure, get, listen, takeToken } from "./api.js";
import { button, count, fill, h, place, when } from "./dom.js";
import { dataPage } from "./data.js";
import { entityPage } from "./entity.js";
import { eventPage } from "./event.js";
import { healthPage } from "./health.js";
import { picturesPage } from "./pictures.js";
import { queryPage } from "./query.js";
import { timePage } from "./time.js";
import { waitingPage } from "./waiting.js";

const $ = (id) => document.getElementById(id);

/** What all sections share. */
export const app = {
  store: null,
  /** The moment that is shown: null for now, else its vector and time. */
  moment: null,
  /** Takes a moment that all sections show; null for now. */
  setMoment(moment) {
    app.moment = moment;
    showMoment();
  },
  /** The position that calls get as `at`. */
  get at() { return app.moment ? app.moment.vector : null; },
  say, fail, run, go: (...parts) => { location.hash = place(...parts); },
  refreshStore,
};

let current = null;
let currentTab = "";

const pages = {
  waits: waitingPage, time: timePage, data: dataPage, query: queryPage, pictures: picturesPage,
  health: healthPage, entity: entityPage, event: eventPage,
};

function show() {
  if (location.hash.startsWith("#token=")) return;
  const parts = location.hash.replace(/^#\/?/, "").split("/").map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  const name = pages[parts[0]] ? parts[0] : "waits";
  const tab = { entity: "data", event: "time" }[name] ?? name;
  for (const link of document.querySelectorAll("nav.tabs a")) {
    if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  current?.end?.();
  const main = $("main");
  fill(main);
  const isNew = currentTab !== "";
  currentTab = tab;
  document.title = `${tab[0].toUpperCase()}${tab.slice(1)} · ${app.store?.name ?? "Daybook"}`;
  current = pages[name](app, main, parts.slice(1)) ?? null;
  if (isNew) main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

// Notices.

let noticeTimer = 0;

/** Says what has happened, with something to do about it. */
function say(words, ...actions) {
  fill($("notice"), h("p", null, words), actions);
  $("notice").classList.add("shown");
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => $("notice").classList.remove("shown"), 12_000);
}

/** Says what went wrong, and the cure. */
function fail(error) {
  if (error.name === "AbortError") return;
  if (error instanceof Failure && error.status === 401) return showLocked(error);
  say(error.cure ? `${sentence(error.message)} ${sentence(error.cure)}` : sentence(error.message));
  if (!(error instanceof Failure)) console.error(error);
}

export function sentence(words) {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : text + ".";
}

/** Runs what a button does, with the button disabled meanwhile. */
async function run(act, event) {
  const control = event?.currentTarget;
  if (control) control.disabled = true;
  try { return await act(); } catch (error) {
    fail(error);
    return undefined;
  } finally {
    if (control) control.disabled = false;
  }
}

function showLocked(error) {
  current?.end?.();
  current = null;
  fill($("main"), h("section", { class: "empty" },
    h("h2", null, "This page has no access"),
    h("p", null, sentence(error.message)),
    h("p", null, sentence(error.cure ?? "Open the address that the inspector has printed."))));
}

// The store, and its changes.

async function refreshStore() {
  const store = await get("store");
  app.store = store;
  $("name").textContent = store.name;
  fill($("badges"),
    store.readOnly
      ? h("span", { class: "badge" }, "read only")
      : h("span", { class: "badge" }, "as " + (store.actor || "nobody named")),
    store.damaged && h("a", { class: "badge bad", href: "#/health" }, "damaged"),
    h("span", { class: "badge quiet" }, count(store.events, "event")));
  $("waitcount").hidden = store.conflicts === 0;
  $("waitcount").textContent = String(store.conflicts);
  $("waitcount").setAttribute("aria-label", count(store.conflicts, "conflict"));
  $("healthmark").hidden = !store.damaged;
  document.title = document.title.replace(/· .*$/, "· " + store.name);
}

// A page asks for what is new once at a time, at most each half second, and not while nobody sees it.
const news = new Set();
let isAsking = false;

async function heard(what) {
  news.add(what);
  if (isAsking || document.hidden) return;
  isAsking = true;
  try {
    while (news.size > 0 && !document.hidden) {
      const now = [...news];
      news.clear();
      if (now.includes("change")) await refreshStore();
      for (const one of now) current?.changed?.(one);
      await new Promise((resolve) => { setTimeout(resolve, 500); });
    }
  } catch { /* The stream says so, too. */ } finally { isAsking = false; }
}

document.addEventListener("visibilitychange", () => {
  const first = [...news][0];
  if (!document.hidden && first) heard(first);
});

async function follow() {
  let pause = 500;
  for (;;) {
    let hasEnded = false;
    try {
      await listen("GET", "changes", undefined, (event) => {
        pause = 500;
        if (event === "change" || event === "peers") heard(event);
        else if (event === "revoked") {
          hasEnded = true;
          showLocked(new Failure(401, {
            message: "the token of this page was taken back", cure: "Open a new address",
          }));
        } else if (event === "end") {
          hasEnded = true;
          say("The store was closed, moved or removed. The inspector can show no more of it.");
        }
      });
    } catch (error) {
      if (error.status === 401) return showLocked(error);
      if (error.status === 0) say("The inspector does not answer. The page tries again.");
    }
    if (hasEnded) return undefined;
    await new Promise((resolve) => { setTimeout(resolve, pause); });
    pause = Math.min(pause * 2, 10_000);
  }
}

function showMoment() {
  const bar = $("momentbar");
  bar.hidden = app.moment === null;
  if (!app.moment) return;
  const { time, events } = app.moment;
  fill(bar,
    h("span", null, "Shown as it was at ", h("b", null, when(time, true)),
      events === undefined ? "" : `, after ${count(events, "event")}`),
    button("Back to now", () => {
      app.setMoment(null);
      show();
    }));
}

async function begin() {
  if (!takeToken()) {
    return showLocked(new Failure(401, {
      message: "the address of this page has no token",
      cure: "Open the address that the inspector has printed",
    }));
  }
  try { await refreshStore(); } catch (error) {
    if (error.status === 401) return showLocked(error);
    fail(error);
  }
  show();
  window.addEventListener("hashchange", show);
  document.body.classList.add("ready");
  return follow();
}

// A new address in the same tab has a new token.
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=") && takeToken()) location.reload();
});

$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("searchtext").value.trim();
  if (text) app.go("query", "search", text);
});

document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    $("searchtext").focus();
  }
  const tab = ["waits", "time", "data", "query", "pictures", "health"][Number(event.key) - 1];
  if (tab) app.go(tab);
});

begin();
