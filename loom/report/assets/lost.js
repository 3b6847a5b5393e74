// What sessions lost where their clients compacted them: the first thing that is told.

const LOST_SHOWN = 12; // lines of a list that are shown before it is asked for whole
const DROP = 0.9; // of the request before: what is smaller, without a compaction, is explained
const COUNTED =
  "In use are your rules, failing checks, and the files read again. A summary may name a file, but does not hold its text: what it names is read again all the same. Loom's window still shows what is in view, names what is one call away, and does neither for what is gone.";
const UNMARKED = " Where it fell without ▽, the agent left out some of what it had (old results, or its thinking); the recording does not say what, and none of it is counted.";

const money = (value) => (value >= 0.005 || !value ? `$${value.toFixed(2)}` : "< $0.01");

function showLostVerdict() {
  const { said, cost, priced, loom, sums } = data.lost;
  byId("source").textContent = sums.compactions ? "What did the agent lose, when, and what did it cost?" : "";
  byId("verdict").textContent = seen(said);
  byId("story").textContent = seen(`${cost} ${loom}`.trim());
  const facts = [
    ["Fetched again", num(sums.back), `${short(sums.tokens)} tokens of text, ${sums.minutes < 1 ? "under a minute" : `${num(sums.minutes)} min`}`],
    ["Not in the summary", sums.things ? `${num(sums.lost)} of ${num(sums.things)}` : "–", "things in use"],
    ["Cost", money(sums.cost), `${money(sums.written)} to write summaries, ${money(sums.again)} to fetch again`],
    ["With Loom, as large a window", sums.back ? `${num(sums.back_in_view)} of ${num(sums.back)} in view` : `${num(sums.in_view)} of ${num(sums.things)} in view`, sums.back ? "of what was fetched again" : "of what was in use"],
  ];
  byId("facts").classList.add("four");
  put(byId("facts"), facts.map(([name, value, more]) => el("div", null, el("dt", null, name), el("dd", null, el("b", null, value), el("small", null, more)))));
  put(byId("notes"), el("p", { class: "quiet" }, `${COUNTED} ${priced}`));
}

function showLost() {
  if (!data.lost) return;
  showLostVerdict();
  const held = byId("held");
  held.open = false;
  held.hidden = !data.agents.length;
  held.querySelector("summary").hidden = false;
  for (const place of document.querySelectorAll(".find, .skip")) place.hidden = !data.agents.length;
  const place = byId("lost");
  place.hidden = false;
  const sessions = data.lost.sessions;
  put(place, sessions.length > 1 && lostTable(sessions), sessions.map((one, at) => one.compactions.length > 0 && lostSession(one, at)));
  sessions.forEach((one, at) => one.compactions.length && one.sizes.length > 1 && lostChart(one, byId(`lost-chart-${at}`)));
}

/** A row for each session, and the total. */
function lostTable(sessions) {
  const cells = ({ compactions, things, lost, back, cost }) => [num(compactions), things ? `${num(lost)} of ${num(things)}` : "–", num(back), money(cost)];
  const row = (name, sums, given) => el("tr", given, el("th", { scope: "row" }, name), cells(sums).map((text) => el("td", null, text)));
  const heads = ["compacted", "not in a summary", "fetched again", "cost"].map((name) => el("th", { scope: "col" }, name));
  const link = (one, at) => [one.compactions.length ? el("a", { href: `#lost-${at}`, on: { click: (event) => (event.preventDefault(), byId(`lost-${at}`).scrollIntoView()) } }, one.title) : one.title, el("small", null, one.about)];
  return el("div", { class: "panel scroll" }, el("table", { class: "sessions" }, el("thead", null, el("tr", null, el("td"), heads)), el("tbody", null, sessions.map((one, at) => row(link(one, at), one.sums)), row("In all", data.lost.sums, { class: "sum" }))));
}

function lostSession(one, at) {
  return el(
    "article",
    { class: "panel lost", id: `lost-${at}` },
    el("h2", null, one.title),
    el("p", { class: "quiet" }, one.about),
    data.lost.sessions.length > 1 && el("p", { class: "said" }, one.said),
    one.sizes.length > 1 && el("div", { class: "chart", id: `lost-chart-${at}` }),
    one.sizes.length > 1 && el("p", { class: "quiet" }, `Tokens of each request. At ▽ it compacted: instructions, tools and the summary stayed.${fell(one) ? UNMARKED : ""}`),
    data.lost.sessions.length > 1 && one.loom && el("p", { class: "loom" }, one.loom),
    one.compactions.map((each) => lostAt(each, one.compactions.length > 1)),
  );
}

function lostAt(one, several) {
  return el(
    "section",
    null,
    several && el("h3", null, one.said),
    lostList("What it fetched again", one.back, "It fetched nothing again in what follows of the recording, 120 messages at most."),
    lostList("Not in the summary", one.lost, "Nothing that was in use is missing."),
  );
}

function lostList(title, lines, none) {
  const code = (text, at) => (at % 2 ? el("code", null, text) : text);
  const item = (line) => el("li", null, el("span", null, line.text.split("`").map(code)), el("small", null, [line.place, line.took, `Loom: ${line.loom}`].filter(Boolean).join(" · ")));
  const list = el("ul", { class: "lines" }, lines.slice(0, LOST_SHOWN).map(item));
  const rest = lines.slice(LOST_SHOWN);
  const more = rest.length > 0 && button(`Show ${num(rest.length)} more`, () => (more.remove(), list.append(...rest.map(item))));
  return el("div", null, el("h4", null, `${title}${lines.length ? ` (${num(lines.length)})` : ""}`), lines.length ? list : el("p", { class: "quiet" }, none), more);
}

/** True where requests fell though nothing was compacted. */
function fell({ sizes, compactions }) {
  const known = new Set(compactions.map(({ request }) => request));
  return sizes.some((size, at) => size < DROP * sizes[at - 1] && !known.has(at));
}

/** The sizes of the requests, with a mark where each compaction was. */
function lostChart(one, place) {
  const redraw = drawn(place, (width, height) => {
    const room = { left: 58, right: width - 12, top: 24, bottom: height - 22 };
    const most = Math.max(...one.sizes) * 1.05;
    const x = scale(0, one.sizes.length - 1, room.left, room.right);
    const y = scale(0, most, room.bottom, room.top);
    const xs = one.sizes.map((_, at) => x(at));
    const told = `Tokens of ${num(one.sizes.length)} requests, at most ${num(Math.max(...one.sizes))}; ${many(one.compactions.length, "compaction")}`;
    const made = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told });
    for (const at of ticks(most, 3)) if (at <= most) made.append(draw("line", { class: "grid", x1: room.left, x2: room.right, y1: y(at), y2: y(at) }), label(room.left - 8, y(at) + 4, short(at), { class: "axis end" }));
    made.append(draw("path", { class: "area history", d: band(xs, one.sizes.map(() => y(0)), one.sizes.map(y)) }));
    made.append(label(room.left - 8, height - 5, "request", { class: "axis end" }));
    for (const { request, when } of one.compactions) {
      const at = x(Math.min(Math.max(request - 0.5, 0), one.sizes.length - 1));
      made.append(draw("line", { class: "drop lost", x1: at, x2: at, y1: room.top - 4, y2: room.bottom }), draw("g", { transform: `translate(${at.toFixed(1)} ${room.top - 10})` }, shape("snip")), label(at + (at > width / 2 ? -9 : 9), room.top - 7, when, { class: at > width / 2 ? "axis end" : "axis" }));
    }
    for (const at of turnTicks(1, one.sizes.length, room.right - room.left)) made.append(label(x(at - 1), height - 5, at, { class: "axis mid" }));
    put(place, made);
  });
  redraw();
}
