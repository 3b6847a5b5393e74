// What sessions lost where their clients compacted them: the first thing that is told.

const LOST_SHOWN = 12; // lines of a list that are shown before it is asked for whole
const DROP = 0.9; // of the request before: what is smaller, without a compaction, is explained
const LOST_BANDS = { instructions: "not recorded: instructions, tools, attachments, earlier talk", summary: "the client's summary" };
const COUNTED =
  "In use: what the user laid down, checks that failed, and the files and ids (of commits, runs, comments) that were used again within 120 messages. A summary may name a file, but does not hold its text, which is read again all the same. Fetching a text again costs more than the text: each call sends the whole window once more, most of it from the prompt cache.";
const PRICED =
  "Tokens are as Loom counts the talk, not as the provider does in the chart. A window that stays nearly full costs more than one that is cut. Input is that of the whole session, without instructions and tools, which are the same for all; Loom's windows get every message of the recording, what was fetched again among them.";
const FELL = " Where it fell without ▽, the client left something out of a request (old results, thoughts), or made it for another purpose; none of that is counted.";
const LABEL = 260; // pixels for each mark, above which the sizes before and after stand beside its time
const LEAST_BAND = 0.01; // of the largest request: what never takes more is not in the legend

const money = (value) => (value >= 0.005 || !value ? `$${value.toFixed(2)}` : "< $0.01");

function showLostVerdict() {
  const { said, names, priced, loom, sums, beside } = data.lost;
  const minutes = Math.round(sums.waited) + Math.round(sums.minutes);
  byId("source").textContent = sums.compactions ? "What did the agent lose, when, and what did it cost?" : "";
  byId("verdict").textContent = seen(said);
  put(byId("story"), [names, loom].filter(Boolean).map((text) => el("span", { class: "line" }, text)));
  const small = beside[beside.length - 1];
  const facts = [
    ["Left out of the summary", sums.things ? `${num(sums.lost)} of ${num(sums.things)}` : "–", "things in use"],
    ["Fetched again", num(sums.back), `${short(sums.tokens)} tokens of text`],
    ["Cost", money(sums.cost), `${minutes >= 1 ? `and ${num(minutes)} min: ` : ""}${money(sums.written)} to write ${many(sums.compactions, "summary", "summaries")}, ${money(sums.again)} to fetch again`],
    [`Loom, with room for ${num(small.room)} tokens`, `${num(small.places[0])} of ${num(sums.things)}`, `things named in its window (by the ${sums.compactions > 1 ? "summaries" : "summary"}: ${num(beside[0].places[0])}); input of it all ${money(small.dollars)}, not ${money(beside[0].dollars)}`],
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
  const several = sessions.length > 1;
  put(place, several && lostTable(sessions), several && el("div", { class: "panel" }, besideTable(data.lost)), sessions.map((one, at) => one.compactions.length > 0 && lostSession(one, at)));
  sessions.forEach((one, at) => one.compactions.length && one.requests.length > 1 && lostChart(one, byId(`lost-chart-${at}`)));
}

/** A row for each session that was compacted, agents below theirs, and the total. */
function lostTable(sessions) {
  const cells = ({ compactions, things, lost, back, cost }) => [num(compactions), things ? `${num(lost)} of ${num(things)}` : "–", num(back), money(cost)];
  const row = (name, sums, given) => el("tr", given, el("th", { scope: "row" }, name), cells(sums).map((text) => el("td", null, text)));
  const heads = ["cut", "left out", "fetched again", "cost"].map((name) => el("th", { scope: "col" }, name));
  const to = (at) => (event) => (event.preventDefault(), byId(`lost-${at}`).scrollIntoView());
  const name = (one, at) => [el("a", { href: `#lost-${at}`, on: { click: to(at) } }, one.agent ? `agent: ${one.title}` : one.title), el("small", null, one.about)];
  const cut = (one) => one.compactions.length > 0;
  // A session that was never cut has a row where an agent of it was.
  const shown = sessions.map(cut);
  sessions.forEach((one, at) => one.agent && cut(one) && (shown[sessions.findLastIndex((each, before) => before < at && !each.agent)] = true));
  const rows = sessions.map((one, at) => shown[at] && row(name(one, at), one.sums, { class: one.agent ? "agent" : null }));
  const others = shown.filter((each) => !each).length;
  return el("div", { class: "panel scroll" }, el("table", { class: "sessions" }, el("thead", null, el("tr", null, el("th", { scope: "col", class: "first" }, "session, the costliest first"), heads)), el("tbody", null, rows, row("In all", data.lost.sums, { class: "sum" }))), others > 0 && el("p", { class: "quiet" }, `${many(others, "other session")} ${others > 1 ? "were" : "was"} never cut.`));
}

/** The client's window beside Loom's: what each held, and what its input costs. */
function besideTable({ sums, beside: all }) {
  const [own, large, small] = all;
  const beside = large.room > small.room ? [own, small, large] : [own, small]; // a short talk fits the small window
  const name = ({ name: called, least, room }) => (room ? `${called}: ${least < room ? `${short(least)} to ` : ""}${short(room)}` : called);
  const rows = [
    [`of ${many(sums.things, "thing")} in use, in the window`, ...beside.map(({ places }) => num(places[0]))],
    ["one call, or a search, away", ...beside.map(({ places }) => num(places[1] + places[2]))],
    ["left out", ...beside.map(({ places }) => num(places[3]))],
    [`of ${many(sums.back, "text")} fetched again, in the window`, ...beside.map(({ back }) => num(back))],
    ["tokens of talk in a request, on average", ...beside.map(({ mean }) => short(mean))],
    ["input of the session, with summaries", ...beside.map(({ dollars }) => money(dollars))],
  ].filter((row, at) => (at > 2 || sums.things) && (at !== 3 || sums.back));
  const line = ([first, ...rest]) => el("tr", null, el("th", { scope: "row" }, first), rest.map((text) => el("td", null, text)));
  return el("div", { class: "scroll" }, el("h4", null, "What Loom would have kept"), el("table", { class: "sessions beside" }, el("thead", null, el("tr", null, el("td"), beside.map((one) => el("th", { scope: "col" }, name(one))))), el("tbody", null, rows.map(line))), el("p", { class: "quiet" }, PRICED));
}

function lostSession(one, at) {
  const several = data.lost.sessions.length > 1;
  const chart = one.requests.length > 1;
  return el(
    "article",
    { class: "panel lost", id: `lost-${at}` },
    el("h2", null, one.title),
    el("p", { class: "quiet" }, one.about),
    several && el("p", { class: "said" }, [one.said, one.names, one.cost].filter(Boolean).join(" ")),
    chart && el("div", { class: "chart", id: `lost-chart-${at}` }),
    chart && bandLegend(one),
    chart && el("p", { class: "quiet" }, `Tokens of each request, by what fills it. At ▽ the client cut it to a summary.${fell(one) ? FELL : ""}`),
    one.compactions.map((each) => lostAt(each, one.compactions.length > 1)),
    besideTable(one),
  );
}

function lostAt(one, several) {
  return el(
    "section",
    null,
    several && el("h3", null, one.said),
    several && el("p", { class: "quiet" }, one.cost),
    lostList("Left out of the summary", one.lost, "Nothing that was in use is missing."),
    lostList("Fetched again", one.back.map((line) => ({ ...line, whose: "its text in Loom" })), "Nothing was fetched again in what follows of the recording, 120 messages at most."),
    one.held.length > 0 && el("details", null, el("summary", null, `In use and not lost (${num(one.held.reduce((sum, line) => sum + line.things, 0))})`), lostLines(one.held)),
  );
}

function lostList(title, lines, none) {
  const list = lostLines(lines.slice(0, LOST_SHOWN));
  const rest = lines.slice(LOST_SHOWN);
  const more = rest.length > 0 && button(`Show ${num(rest.length)} more`, () => (more.remove(), list.append(...lostLines(rest).childNodes)));
  return el("div", null, el("h4", null, `${title}${lines.length ? ` (${num(lines.reduce((sum, line) => sum + line.things, 0))})` : ""}`), lines.length ? list : el("p", { class: "quiet" }, none), more);
}

function lostLines(lines) {
  const code = (text, at) => (at % 2 ? el("code", null, pathy(text)) : text);
  const where = ({ loom: [large, small] }) => (large === small ? small : `${small}; as large: ${large}`);
  const coded = (text) => text.split("`").map(code);
  const item = (line) => el("li", null, el("span", null, coded(line.text)), el("small", null, coded([line.place, line.took, `${line.whose || "Loom"}: ${where(line)}`].filter(Boolean).join(" · "))));
  return el("ul", { class: "lines" }, lines.map(item));
}

const sizeOf = (request) => request.reduce((sum, tokens) => sum + tokens, 0);

/** True where requests fell though nothing was compacted. */
function fell({ requests, compactions }) {
  const known = new Set(compactions.map(({ request }) => request));
  const sizes = requests.map(sizeOf);
  return sizes.some((size, at) => size < DROP * sizes[at - 1] && !known.has(at));
}

/** What the colours of the bands mean, of those that occur. */
function bandLegend({ requests }) {
  const most = Math.max(...requests.map(sizeOf));
  const named = data.lost.bands.map((name, at) => requests.some((one) => one[at] > LEAST_BAND * most) && el("span", null, el("i", { class: `swatch ${name}` }), { ...BANDS, ...LOST_BANDS }[name]));
  return el("div", { class: "legend" }, named);
}

/** The requests by what fills them, with a mark where each compaction was. */
function lostChart(one, place) {
  const sizes = one.requests.map(sizeOf);
  const last = sizes.length - 1;
  const redraw = drawn(place, (width, height) => {
    const room = { left: 58, right: width - 12, top: 24, bottom: height - 22 };
    const most = Math.max(...sizes) * 1.05;
    const x = scale(0, last, room.left, room.right);
    const y = scale(0, most, room.bottom, room.top);
    const xs = sizes.map((_, at) => x(at));
    const told = `Tokens of ${num(sizes.length)} requests, at most ${num(Math.max(...sizes))}; ${many(one.compactions.length, "compaction")}`;
    const made = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told });
    for (const at of ticks(most, 4)) if (at <= most) made.append(draw("line", { class: "grid", x1: room.left, x2: room.right, y1: y(at), y2: y(at) }), label(room.left - 8, y(at) + 4, short(at), { class: "axis end" }));
    let lows = sizes.map(() => 0);
    data.lost.bands.forEach((name, each) => {
      const highs = lows.map((low, at) => low + one.requests[at][each]);
      made.append(draw("path", { class: `area ${name}`, d: band(xs, lows.map(y), highs.map(y)) }));
      lows = highs;
    });
    made.append(label(room.left - 8, height - 5, "request", { class: "axis end" }));
    for (const { request, when } of one.compactions) {
      const at = x(Math.min(Math.max(request - 0.5, 0), last));
      const back = at > width / 2;
      made.append(draw("line", { class: "drop lost", x1: at, x2: at, y1: room.top - 4, y2: room.bottom }), draw("g", { transform: `translate(${at.toFixed(1)} ${room.top - 10})` }, shape("snip")), label(at + (back ? -9 : 9), room.top - 7, width / one.compactions.length > LABEL ? when : when.split(" · ")[0], { class: back ? "axis end" : "axis" }));
    }
    for (const at of turnTicks(1, sizes.length, room.right - room.left)) made.append(label(x(at - 1), height - 5, at, { class: "axis mid" }));
    put(place, made);
  });
  redraw();
}
