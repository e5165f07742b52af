// Requests to the server, and messages about errors.
const page = { table: null, stream: null, classes: [], token: "", links: {} };
const TOKEN = "#token=";
const AGAIN = 1000; // milliseconds until a broken stream is requested again
const MOST_TRIES = 5;
const ENDS = ["done", "failed", "cancelled"];

function say(id, text) {
  byId(id).textContent = text || "";
  byId(id).hidden = !text;
}

// The token is sent as a header and never as a cookie, which every port of this machine would get.
const answerTo = (path, { headers, ...options } = {}) =>
  fetch(path, { ...options, headers: { ...headers, authorization: `Bearer ${page.token}` } });

async function ask(path, options) {
  let answer;
  try {
    answer = await answerTo(path, options);
  } catch {
    throw new Error("The server does not answer. Has it been stopped?");
  }
  const content = await answer.json().catch(() => ({ error: `The server refuses (${answer.status}).` }));
  if (!answer.ok) throw new Error(content.error ?? "The server refuses.");
  return content;
}

// The word behind the # of the printed address opens the page; what it gives is kept in this tab for a reload, in a
// storage that other ports do not see.
async function enter() {
  const given = location.hash.startsWith(TOKEN) ? location.hash.slice(TOKEN.length) : null;
  if (given !== null) history.replaceState(null, "", location.pathname);
  page.token = given ?? sessionStorage.getItem("token") ?? "";
  if (!page.token) throw new Error("Open the address that `freemetric serve` printed.");
  Object.assign(page, await post("api/enter"));
  sessionStorage.setItem("token", page.token);
  for (const link of document.querySelectorAll("a[href^='view/'], a[href^='download/']")) {
    link.setAttribute("href", page.links[link.getAttribute("href")]);
  }
}

// An address with a new word that is opened in the tab of the page loads nothing by itself.
addEventListener("hashchange", () => {
  if (location.hash.startsWith(TOKEN)) location.reload();
});

const post = (path, content = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content) });

// A named thing where it finds room; the whole of its name shows up under the mouse.
const shortened = (name, most) => element("span", bothEnds(name, most), { title: name });

// An event handler that shows its error at its place.
const attempt = (place, work) => async (...given) => {
  say(place, "");
  try {
    return await work(...given);
  } catch (error) {
    say(place, error.message);
  }
};

// Follow a job; `on` has a function for every type of event.
async function follow({ number }, on) {
  page.stream?.abort();
  const stream = (page.stream = new AbortController());
  for await (const event of eventsOf(number, stream.signal)) {
    if (stream.signal.aborted) return;
    on[event.type]?.(event);
  }
}

// Events of a job, each once. A broken answer is requested again; it begins with the first event.
async function* eventsOf(number, signal) {
  let seen = 0;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    let n = 0;
    try {
      const answer = await answerTo(`api/jobs/${number}/events`, { signal });
      for await (const line of linesOf(answer.body)) {
        if (!line.startsWith("data: ")) continue;
        n += 1;
        if (n <= seen) continue;
        [seen, tries] = [n, 0];
        const event = JSON.parse(line.slice(6));
        yield event;
        if (ENDS.includes(event.type)) return;
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
  yield { type: "failed", text: "The server says nothing more about it. Has it been stopped?" };
}

async function* linesOf(body) {
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}

const cancelJob = () => post("api/cancel");

// Names and values; those without a value are left out.
function facts(id, pairs) {
  const parts = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const entries = parts.map(([name, value]) => {
    const made = element("div");
    made.append(element("dt", name), element("dd", String(value)));
    return made;
  });
  byId(id).replaceChildren(...entries);
}

// The content of a table of the page.
const fillTable = (id, table) => byId(id).replaceChildren(...table.childNodes);

const list = (id, texts) => byId(id).replaceChildren(...texts.map((text) => element("li", text)));

function options(select, pairs, value) {
  select.replaceChildren(...pairs.map(([key, text]) => element("option", bothEnds(text, 60), { value: key })));
  select.value = value;
}

const whole = (n) => n.toLocaleString("en");
