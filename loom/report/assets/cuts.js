// A cut: why it was made, and all that left with it.

const COLUMNS = [
  ["entry", "Entry", (row) => row.entry],
  ["title", "What", (row) => row.title],
  ["before", "Tokens", (row) => row.before - row.after],
  ["used", "Last used", (row) => (row.score ? row.score.used : Infinity)],
  ["back", "Came back", (row) => row.back || Infinity],
];
const sorting = { by: "entry", down: false };

function showCut() {
  const one = agent();
  const cut = one.cuts[state.cut];
  const place = byId("left");
  if (!cut) {
    byId("cut-title").textContent = "Cut";
    put(byId("cut-facts"));
    return put(place, el("p", { class: "quiet empty" }, one.cuts.length ? "No cut was made up to here." : "Nothing has left this window: no cut was made."));
  }
  const here = cut.turn === state.turn;
  put(byId("cut-title"), shapeIcon(cut.level), document.createTextNode(` Cut for request ${cut.turn}: ${cut.level}`));
  put(
    byId("cut-facts"),
    el("span", null, `${here ? "" : "The last one before this request. "}${levelOf(cut)[1][0].toUpperCase()}${levelOf(cut)[1].slice(1)}, as ${cause(cut)}: ${num(cut.before)} → ${num(cut.after)} tokens; the first ${num(cut.reusable)} of them stand as they were sent.`),
    here && turnAt(cut.turn) ? el("span", null, ` With what came in since and what was read ahead, request ${cut.turn} has ${num(turnAt(cut.turn).total)}.`) : null,
    cut.digest ? el("span", null, ` ${cut.digest} stands for what left${cut.page ? ` (${cut.page} lists it)` : ""}.`) : null,
  );
  put(place, siblings(cut), leftTable(cut));
}

/** Buttons to the cuts that were made for the same request, and to those around it. */
function siblings(cut) {
  const one = agent();
  const same = one.cuts.filter((each) => each.turn === cut.turn);
  const others = same.length > 1 ? same.map((each) => button(`${each.level}`, () => change({ cut: each.number }), { "aria-pressed": String(each === cut) })) : [];
  const to = (each, text) => (each ? button(text, () => choose(each.turn, { cut: each.number })) : null);
  return el("div", { class: "tools" }, to(one.cuts[cut.number - 1], "‹ Cut before"), to(one.cuts[cut.number + 1], "Cut after ›"), others);
}

function leftTable(cut) {
  const [, , key] = COLUMNS.find(([name]) => name === sorting.by);
  const rows = cut.left.map((row, at) => [row, at]);
  rows.sort(([one, a], [two, b]) => {
    const [x, y] = [key(one), key(two)];
    const order = typeof x === "string" ? (sorting.by === "entry" ? a - b : x.localeCompare(y)) : x - y;
    return (sorting.down ? -order : order) || a - b;
  });
  if (!rows.length) return el("p", { class: "quiet empty" }, "Nothing left: texts that had changed joined their partition.");
  const heads = COLUMNS.map(([name, said]) => {
    const on = sorting.by === name;
    const sort = () => {
      Object.assign(sorting, { by: name, down: on ? !sorting.down : ["before"].includes(name) });
      showCut();
      byId("left").querySelector(`[data-by="${name}"]`).focus();
    };
    return el("th", { scope: "col", "aria-sort": on ? (sorting.down ? "descending" : "ascending") : null, class: name }, button(`${said}${on ? (sorting.down ? " ↓" : " ↑") : ""}`, sort, { "data-by": name }));
  });
  const table = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What left" }, el("table", { class: "left" }, el("caption", { class: "hidden" }, `What left with the cut for request ${cut.turn}`), el("thead", null, el("tr", null, heads)), el("tbody", null, rows.map(([row]) => leftLine(row, cut)))));
  return [table, cut.left.some((row) => row.score) && ratings(cut)];
}

function leftLine(row, cut) {
  const words = pathy(oneLine(row.title.replace(DASHBOARD, "$1"), 120));
  const title = row.lanes.length ? el("button", { type: "button", class: "link", title: row.title, on: { click: () => openLane(row.lanes[0]) } }, words) : el("span", { title: row.title }, words);
  const detail = `${row.detail_before || "shown"} → ${row.detail_after}`;
  const back = row.back ? button(`${row.back}`, () => choose(row.back), { class: "link", title: `${row.way}: show request ${row.back}` }) : null;
  return el(
    "tr",
    null,
    el("td", { class: "entry" }, el("span", { class: "mono" }, row.entry), el("small", null, row.partition)),
    el("td", { class: "title" }, title, el("small", null, pathy([detail, row.pages.slice(0, 3).join(", ") + (row.pages.length > 3 ? " …" : "")].filter(Boolean).join(" · ")))),
    el("td", { class: "before" }, `${num(row.before)} → ${num(row.after)}`),
    el("td", { class: "used" }, row.score ? lastUse(row, cut) : "–"),
    el("td", { class: "back" }, back, el("small", null, row.way || (row.back ? "" : "no"))),
  );
}

/** When a text was last used before a cut, in words: to be read, changed or named, or paged in. */
function lastUse(row, cut) {
  const lane = agent().lanes[row.lanes[0]];
  const came = lane ? lane.came.map(([turn]) => turn).filter((turn) => turn < cut.turn) : [];
  const used = Math.max(row.score.used, ...came);
  const since = used && !(lane && lane.spans.length && used < lane.spans[0][0]) ? `request ${used}` : "it came in";
  return `not used since ${since}${row.score.stale !== 1 ? ", and out of date since" : ""}`;
}

/** How each text was rated, for who unfolds it. */
function ratings(cut) {
  const words = "Worth is K · rel · decay: what kind of text it is, what it shares with the work at hand, and how lately and often it was used (more is more in use). Room goes to what has the most worth for its tokens, and a large text may leave before a small one of less worth; what stays as it was is not listed.";
  const made = el("details", { class: "ratings" }, el("summary", null, "How each was rated"), el("p", { class: "quiet" }, words));
  const list = () => el("ul", null, cut.left.filter((row) => row.score).map((row) => el("li", null, el("span", { class: "mono" }, row.entry), `: ${scoreWords(row.score)}.`)));
  made.addEventListener("toggle", () => made.open && made.children.length < 3 && made.append(list()));
  return made;
}
const trim = (value) => String(Number(value.toPrecision(3)));

function scoreWords(score) {
  const stale = score.stale !== 1 ? ` × ${trim(score.stale)} since it was superseded` : "";
  return `Its best part (${score.kind}): worth ${trim(score.worth)} = K ${trim(score.k)} × relevance ${trim(score.rel)} × decay ${trim(score.recency)}${stale}; place ${score.rank} of ${score.of} by worth per token`;
}

function startCuts() {
  watchers.push((changed) => (changed.has("cut") || changed.has("agent") || changed.has("turn")) && showCut());
}
