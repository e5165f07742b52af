// How the page talks to its server, and what it says when something goes wrong.
const page = { table: null, job: null, stream: null, classes: [] };

function say(id, text) {
  byId(id).textContent = text || "";
  byId(id).hidden = !text;
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Has it been stopped?");
  }
  const content = await answer.json().catch(() => ({ error: `The server refuses (${answer.status}).` }));
  if (!answer.ok) throw new Error(content.error ?? "The server refuses.");
  return content;
}

const post = (path, content = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content) });

// What an event does; a message of what goes wrong stands where it belongs.
const attempt = (place, work) => async (...given) => {
  say(place, "");
  try {
    return await work(...given);
  } catch (error) {
    say(place, error.message);
  }
};

// Follow a job; `on` has a function for every type of event.
function follow({ number, kind }, on) {
  page.stream?.close();
  page.job = kind;
  const stream = new EventSource(`api/jobs/${number}/events`);
  page.stream = stream;
  stream.onmessage = (message) => {
    const event = JSON.parse(message.data);
    if (["done", "failed", "cancelled"].includes(event.type)) {
      stream.close();
      page.job = null;
    }
    on[event.type]?.(event);
  };
  stream.onerror = () => {
    if (stream.readyState !== EventSource.CLOSED && page.job) return; // the browser tries again
    stream.close();
  };
}

const cancelJob = () => post("api/cancel");

function facts(id, pairs) {
  const parts = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  byId(id).replaceChildren(
    ...parts.map(([name, value]) => {
      const made = element("div");
      made.append(element("dt", name), element("dd", String(value)));
      return made;
    }),
  );
}

const list = (id, texts) => byId(id).replaceChildren(...texts.map((text) => element("li", text)));

function options(select, pairs, value) {
  select.replaceChildren(...pairs.map(([key, text]) => element("option", bothEnds(text, 60), { value: key })));
  select.value = value;
}

const whole = (n) => n.toLocaleString("en");
const TINTS = ["#1A7FC1", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#6B6B6B", "#8A5A00"];
const tintOf = (c) => TINTS[c % TINTS.length];

// A class as figures and tables show it: its marker, in its colour.
function glyphOf({ color: tint, marker }) {
  const glyph = element("span", `${GLYPHS[marker]} `, { "aria-hidden": "true" });
  glyph.style.color = tint;
  return glyph;
}
