// The API over the same port. The token is in the address when the page is opened; from then on
// only this tab has it.

const KEY = "daybook-token";
let token = "";

/** Takes the token out of the address, so that it is neither in the history nor on the screen. */
export function takeToken() {
  const found = /^#token=([0-9A-Za-z_]+)(.*)$/.exec(location.hash);
  if (found) {
    token = found[1];
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, "", location.pathname + (found[2] || "#/waits"));
  } else {
    token = sessionStorage.getItem(KEY) ?? "";
  }
  return token !== "";
}

/** What a call could not do: the code, the words and the cure of the server. */
export class Failure extends Error {
  constructor(status, answer) {
    super(answer.message ?? `status ${status}`);
    this.status = status;
    this.code = answer.code ?? "failed";
    this.cure = answer.cure ?? null;
  }
}

async function call(method, path, query, body, signal) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === null || value === undefined || value === "") continue;
    if (Array.isArray(value)) for (const part of value) parameters.append(name, part);
    else parameters.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  const text = parameters.toString();
  const headers = { Authorization: "Bearer " + token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch("api/" + path + (text ? "?" + text : ""), {
      method, headers, signal, cache: "no-store", credentials: "omit",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, {
      code: "gone", message: "The inspector does not answer.",
      cure: "It has ended, or is not reachable: start it again, and open its new address.",
    });
  }
  if (!response.ok) throw new Failure(response.status, await response.json().catch(() => ({})));
  return response;
}

export async function get(path, query, signal) {
  return (await call("GET", path, query, undefined, signal)).json();
}

export async function post(path, body, signal) {
  return (await call("POST", path, null, body ?? {}, signal)).json();
}

/** Reads server-sent events; `heard` gets the name and the data of each. */
export async function listen(method, path, body, heard, signal) {
  const response = await call(method, path, null, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      let [event, data] = ["", ""];
      for (const line of part.split("\n")) {
        if (line.startsWith("event: ")) event = line.slice(7);
        if (line.startsWith("data: ")) data += line.slice(6);
      }
      if (event) heard(event, data ? JSON.parse(data) : {});
    }
  }
}

/** Saves a file that the server sends. */
export async function save(path, query, name) {
  const response = await call("GET", path, query);
  if (window.showSaveFilePicker && !navigator.webdriver) {
    try {
      const file = await window.showSaveFilePicker({ suggestedName: name });
      await response.body.pipeTo(await file.createWritable());
      return;
    } catch (error) {
      if (error.name === "AbortError") return;
      throw error;
    }
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
