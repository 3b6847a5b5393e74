"use strict";
// Small things the rest is made of. Text reaches the page by textContent alone.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

// What steers how text is shown, or cannot be seen: it is shown as its number.
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** A text in which nothing is hidden and nothing turns the direction of writing. */
function seen(text) {
  return String(text).replace(/\r\n?/g, "\n").replace(UNSEEN, (sign) => `\u27e8${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);
}

/** An element with properties, and children that are elements or texts. */
function el(tag, given, ...children) {
  const made = document.createElement(tag);
  fill(made, given);
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : document.createTextNode(seen(child)));
  }
  return made;
}

function fill(made, given) {
  for (const [name, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (name === "text") made.textContent = seen(value);
    else if (name === "title") made.setAttribute("title", seen(value));
    else made.setAttribute(name, value === true ? "" : value);
  }
}

/** An element of a picture. */
function draw(tag, given, ...children) {
  const made = document.createElementNS(SVG, tag);
  fill(made, given);
  made.append(...children.flat().filter(Boolean));
  return made;
}

const put = (place, ...children) => place.replaceChildren(...children.flat().filter(Boolean));
const button = (text, act, given) => el("button", { type: "button", on: { click: act }, ...given }, text);

const number = new Intl.NumberFormat("en-US");
const num = (value) => number.format(Math.round(value));
const share = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(part && part / whole < 0.1 ? 1 : 0)} %` : "0 %");
const many = (count, one, more) => `${num(count)} ${count === 1 ? one : more || `${one}s`}`;
const short = (value) =>
  value >= 1e6 ? `${(value / 1e6).toFixed(value >= 1e7 ? 0 : 1)}M` : value >= 1e4 ? `${Math.round(value / 1e3)}k` : value >= 1e3 ? `${(value / 1e3).toFixed(1)}k` : String(Math.round(value));
const bytes = (value) => (value < 1e3 ? `${value} B` : value < 1e6 ? `${(value / 1e3).toFixed(1)} KB` : `${(value / 1e6).toFixed(1)} MB`);
const clip = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
const oneLine = (text, most) => clip(text.slice(0, 4 * most).replace(/\s+/g, " ").trim(), most);

/** A number in percent: 81.4 %, 80 %. */
const percent = (value) => `${Number((100 * value).toFixed(1))} %`;
const day = (at) => new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

const ID = /\b([0-9a-f]{8}(?:(?:-[0-9a-f]{4}){2}[-0-9a-f]*|[0-9a-f]{24,}))/i;
/** A text that may hold paths, as nodes: it breaks behind a slash. */
const pieces = (text) => text.split(/(?<=[/\\])(?=.)/).flatMap((piece, at) => (at ? [el("wbr"), piece] : [piece]));

/** The same, and of a long id the first eight signs. */
const pathy = (text) => text.split(ID).flatMap((part, at) => (at % 2 ? [el("span", { title: part }, `${part.slice(0, 8)}…`)] : pieces(part)));

/** Draw anew and give the focus back to what had it. */
function keepFocus(act) {
  const id = document.activeElement && document.activeElement.id;
  act();
  if (id && byId(id)) byId(id).focus({ preventScroll: true });
}

// What fills a window, from the bottom of the chart to its top.
const BANDS = {
  client: "the client's own", instructions: "instructions and tools", notes: "guides and notes", skills: "skills", lines: "lines and digests",
  user: "the user", model: "the model", reads: "reads and searches", shell: "shell", edits: "edits", other: "other results", working: "working",
};
const AT_ONCE = 20000; // characters of a text that are shown before it is asked for whole

/** A text to be read, in whole lines; a long one begins with a part of it. */
function reading(text, label) {
  const shown = el("pre", { tabindex: "0", role: "region", "aria-label": seen(clip(label || "Text", 120)) });
  shown.textContent = seen(text.slice(0, AT_ONCE)) || "(nothing)";
  if (text.length <= AT_ONCE) return [shown];
  const more = button(`Show all ${num(text.length)} characters`, () => {
    shown.textContent = seen(text);
    more.remove();
  });
  return [shown, more];
}

/** Say something to those who do not see the page. */
const say = (text) => (byId("status").textContent = seen(text));
