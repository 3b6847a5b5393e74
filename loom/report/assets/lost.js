// What sessions lost where their clients compacted them: the first thing that is told.

const LOST_SHOWN = 12; // lines of a list that are shown before it is asked for whole

function showLostVerdict() {
  const { said, sums } = data.lost;
  byId("source").textContent = sums.compactions ? "What did the agent lose, when, and what did it cost?" : "";
  byId("verdict").textContent = seen(said);
  const cost = (value) => (value >= 0.005 || !value ? `$${value.toFixed(2)}` : "< $0.01");
  const facts = [
    ["Lost", sums.things ? `${num(sums.lost)} of ${num(sums.things)}` : "–", "things in use that no summary held"],
    ["Went back", many(sums.back, "time"), `${short(sums.tokens)} tokens, ${sums.minutes < 1 ? "under a minute" : `${num(sums.minutes)} min`}`],
    ["Cost of going back", cost(sums.again), "reading, running, asking again"],
    ["Cost of summaries", cost(sums.written), `${many(sums.compactions, "compaction")}, ${short(sums.before)} tokens replaced by ${short(sums.summaries)}`],
    ["With Loom", sums.back ? `${num(sums.back_in_view)} of ${num(sums.back)}` : `${num(sums.in_view)} of ${num(sums.things)}`, sums.back ? "of what it went back for still in view, in as large a window" : "things in use still in view, in as large a window"],
  ];
  put(byId("facts"), facts.map(([name, value, more]) => el("div", null, el("dt", null, name), el("dd", null, el("b", null, value), el("small", null, more)))));
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
  put(place, sessions.length > 1 && lostTable(sessions), sessions.map(lostSession));
  sessions.forEach((one, at) => one.sizes.length > 1 && lostChart(one, byId(`lost-chart-${at}`)));
}

/** A row for each session, and the total. */
function lostTable(sessions) {
  const cells = ({ compactions, things, lost, back, written, again }) => [num(compactions), things ? `${num(lost)} of ${num(things)}` : "–", num(back), `$${(written + again).toFixed(2)}`];
  const row = (name, sums, given) => el("tr", given, el("th", { scope: "row" }, name), cells(sums).map((text) => el("td", null, text)));
  const heads = ["times", "lost", "back", "cost"].map((name) => el("th", { scope: "col" }, name));
  const link = (one, at) => el("a", { href: `#lost-${at}`, on: { click: (event) => (event.preventDefault(), byId(`lost-${at}`).scrollIntoView()) } }, one.title, el("small", null, one.about));
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
    one.sizes.length > 1 && el("p", { class: "quiet" }, "Tokens of each request as the client sent it; the marks are its compactions."),
    one.compactions.map((each) => lostAt(each, one.compactions.length > 1)),
  );
}

function lostAt(one, several) {
  return el(
    "section",
    null,
    several && el("h3", null, one.said),
    lostList("What was lost", one.lost, "Nothing that was in use is missing from the summary."),
    lostList("What it went back for", one.back, "It read, ran and asked nothing again in the next 120 messages."),
    one.loom && el("p", { class: "loom" }, one.loom),
    el("details", { class: "more" }, el("summary", null, "How this was counted"), el("p", null, one.more)),
  );
}

function lostList(title, lines, none) {
  const item = (line) => el("li", null, el("span", null, line.text), el("small", null, [line.place, line.took, `Loom: ${line.loom}`].filter(Boolean).join(" · ")));
  const list = el("ul", { class: "lines" }, lines.slice(0, LOST_SHOWN).map(item));
  const rest = lines.slice(LOST_SHOWN);
  const more = rest.length > 0 && button(`Show ${num(rest.length)} more`, () => (more.remove(), list.append(...rest.map(item))));
  return el("div", null, el("h4", null, `${title}${lines.length ? ` (${num(lines.length)})` : ""}`), lines.length ? list : el("p", { class: "quiet" }, none), more);
}

/** The sizes of the requests, with a mark where each compaction was. */
function lostChart(one, place) {
  const redraw = drawn(place, (width, height) => {
    const room = { left: 48, right: width - 12, top: 24, bottom: height - 22 };
    const most = Math.max(...one.sizes) * 1.05;
    const x = scale(0, one.sizes.length - 1, room.left, room.right);
    const y = scale(0, most, room.bottom, room.top);
    const xs = one.sizes.map((_, at) => x(at));
    const told = `Tokens of ${num(one.sizes.length)} requests, at most ${num(Math.max(...one.sizes))}; ${many(one.compactions.length, "compaction")}`;
    const made = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told });
    for (const at of ticks(most, 3)) if (at <= most) made.append(draw("line", { class: "grid", x1: room.left, x2: room.right, y1: y(at), y2: y(at) }), label(room.left - 8, y(at) + 4, short(at), { class: "axis end" }));
    made.append(draw("path", { class: "area history", d: band(xs, one.sizes.map(() => y(0)), one.sizes.map(y)) }));
    for (const { request } of one.compactions) {
      const at = x(Math.min(Math.max(request - 0.5, 0), one.sizes.length - 1));
      made.append(draw("line", { class: "drop lost", x1: at, x2: at, y1: room.top - 4, y2: room.bottom }), draw("g", { transform: `translate(${at.toFixed(1)} ${room.top - 10})` }, shape("snip")));
    }
    for (const at of turnTicks(1, one.sizes.length, room.right - room.left)) made.append(label(x(at - 1), height - 5, at, { class: "axis mid" }));
    put(place, made);
  });
  redraw();
}
