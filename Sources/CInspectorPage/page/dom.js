// Elements and words. Data becomes text here, and never HTML.

/** Makes an element. Properties that begin with `on` are listeners; the rest are attributes. */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  add(element, children);
  return element;
}

/** Makes an element of SVG. */
export function s(tag, properties, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, properties);
  add(element, children);
  return element;
}

function set(element, properties) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

// A value of the API: null, a boolean, number or text, or an object for what JSON has no form for.

/** The most characters of a value that are put into the page at once. */
const SHOWN = 20_000;

export function isCut(value) {
  return value !== null && typeof value === "object" && "cut" in value;
}

/** The value as text, without a form for null. */
export function textOf(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  if ("integer" in value) return value.integer;
  if ("blob" in value) return value.blob;
  if ("json" in value) return JSON.stringify(value.json);
  if ("cut" in value) return value.cut + "…";
  return JSON.stringify(value);
}

/** An element that shows a value. */
export function valueView(value, most = SHOWN) {
  if (value === null || value === undefined) return h("span", { class: "null" }, "none");
  if (value === "") return h("span", { class: "null" }, "empty text");
  if (typeof value === "boolean") return h("span", { class: "boolean" }, value ? "yes" : "no");
  if (typeof value === "number") return h("span", { class: "number" }, String(value));
  if (typeof value === "object") {
    if ("blob" in value) return h("span", { class: "blob" }, "bytes " + clip(value.blob, 60));
    if ("integer" in value) return h("span", { class: "number" }, value.integer);
    if ("json" in value) {
      return h("code", { class: "json" }, clip(JSON.stringify(value.json, null, 1), most));
    }
    if ("cut" in value) {
      const size = value.bytes ? ` (${bytes(value.bytes)})` : "";
      return h("span", { class: "text" }, clip(value.cut, most), h("i", null, "… cut" + size));
    }
  }
  return h("span", { class: "text" }, clip(textOf(value), most));
}

export function clip(text, most) {
  return text.length > most ? text.slice(0, most) + "…" : text;
}

// Words.

export function count(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export function bytes(number) {
  if (number < 1024) return count(number, "byte");
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let unit = -1;
  do {
    number /= 1024;
    unit += 1;
  } while (number >= 1024 && unit < units.length - 1);
  return `${number.toFixed(number < 10 ? 1 : 0)} ${units[unit]}`;
}

const two = (number) => String(number).padStart(2, "0");

/** A time as people read it, in the zone of the browser. */
export function when(time, isPrecise = false) {
  if (time === null || time === undefined) return "never";
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const rest = isPrecise ? "." + String(date.getMilliseconds()).padStart(3, "0") : "";
  return `${day} ${clock}${rest}`;
}

export function ago(time) {
  if (!time) return "never";
  const seconds = Math.round((Date.now() - new Date(time).getTime()) / 1000);
  if (seconds < 0) return when(time);
  if (seconds < 5) return "just now";
  if (seconds < 90) return `${seconds} seconds ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes ago`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} hours ago`;
  return when(time).slice(0, 10);
}

export function timeView(time) {
  return h("time", { datetime: String(time), title: when(time, true) }, when(time));
}

/** Who did something; nobody has said so if the name is empty. */
export function who(actor) {
  return h("span", { class: "who", "data-hue": hue(actor) }, actor || "nobody named");
}

/** One of eight colors for a name, always the same one. */
export function hue(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i += 1) sum = (sum * 31 + text.charCodeAt(i)) >>> 0;
  return sum % 8;
}

export const color = (number) => `var(--hue${number % 8})`;

/** Says in words what an event wrote. */
export function wrote(event) {
  if (!event.readable) return "a body that cannot be read here";
  const parts = event.writes.filter((write) => write.kind !== "stamp").map((write) => {
    const where = write.count === 1 && write.id !== null
      ? `${write.collection} ${clip(write.id, 24)}` : write.collection;
    return write.count === 1 ? `${write.kind} ${where}` : `${write.kind} ${write.count} in ${where}`;
  });
  if (parts.length > 0) return parts.join(", ");
  return event.writes.length > 0 ? "stamps of a hub" : "nothing";
}

export const place = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");

export function button(words, act, properties = {}) {
  return h("button", { type: "button", onclick: act, ...properties }, words);
}
