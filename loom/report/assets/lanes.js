// Pages: how each text of the session stood in the window, request by request.

const HEIGHT = { whole: 10, back: 10, ahead: 7, part: 5, line: 2, out: 1 };
const ORDERS = {
  came: (one, two) => one.number - two.number,
  tokens: (one, two) => two.tokens - one.tokens || one.number - two.number,
  back: (one, two) => two.came.length - one.came.length || one.number - two.number,
};

/** The lanes that have every word of the filter in their names. */
function wanted() {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  return agent().lanes.filter((lane) => words.every((word) => lane.words.includes(word))).sort(ORDERS[state.order]);
}

function showLanes() {
  const found = wanted();
  const shown = found.slice(0, state.shown);
  byId("lane-count").textContent = state.filter ? `${many(found.length, "text")} of ${num(agent().lanes.length)}` : `${many(found.length, "text")}, ${num(agent().lanes.filter((lane) => lane.page).length)} of them on pages`;
  put(byId("lane-list"), shown.map(laneRow), found.length ? null : el("p", { class: "quiet empty" }, state.filter ? "No text is called so." : "No text has come in yet."));
  byId("more").hidden = shown.length === found.length;
}

function laneRow(lane) {
  const open = state.lane === lane.number;
  const row = button("", () => change({ lane: open ? -1 : lane.number }), { class: "lane", "aria-expanded": String(open), id: `lane-${lane.number}` });
  const last = lane.spans.length ? lane.spans[lane.spans.length - 1].slice()[2] : "out";
  row.append(
    el("span", { class: "name" }, el("span", { title: lane.title }, pathy(lane.title || lane.name)), el("small", null, pathy(`${lane.page || lane.entry} · ${num(lane.tokens)} tokens`))),
    laneBar(lane),
    el("span", { class: "now" }, el("span", { class: "hidden" }, "at the end: "), STATES[last], lane.came.length ? el("small", null, `brought back ${lane.came.length} ×`) : null),
  );
  return open ? el("div", { class: "opened" }, row, laneStory(lane)) : row;
}

function laneBar(lane) {
  const turns = agent().turns;
  if (!turns.length) return null;
  const first = turns[0].turn;
  const width = turns[turns.length - 1].turn - first + 1;
  const made = draw("svg", { class: "bar", viewBox: `0 0 ${width} 12`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const [from, to, how] of lane.spans) {
    const height = HEIGHT[how];
    made.append(draw("rect", { class: `span ${how}`, x: from - first, width: to - from + 1, y: 11 - height, height }));
  }
  const chosen = turnAt(state.turn);
  if (chosen) made.append(draw("line", { class: "cursor", x1: chosen.turn - first + 0.5, x2: chosen.turn - first + 0.5, y1: 0, y2: 12 }));
  return made;
}

/** What became of a text, sentence by sentence, and the text itself. */
function laneStory(lane) {
  const found = textAt(lane.text);
  const items = lane.spans.map((span, at) => el("li", null, ...sentence(lane, span, at)));
  for (const [turn, way] of lane.came) if (way === "recall") items.push(el("li", null, "Found again by recall for ", toTurn(turn), "."));
  return el(
    "div",
    { class: "story" },
    el("h3", null, pieces(lane.title || lane.name)),
    el("p", { class: "quiet" }, pathy(`${lane.entry}${lane.page ? ` · rests in ${lane.page}` : " · rests in the journal"} · ${num(lane.tokens)} tokens, ${bytes(lane.size)}`)),
    el("ol", { class: "life" }, items),
    el("details", null, el("summary", null, "Its text"), el("div", { class: "body" }, missing(found, "`loom cat` has it."), found.text === null ? null : reading(found.text, `Text of ${lane.title}`))),
  );
}

const toTurn = (turn) => button(`request ${turn}`, () => choose(turn), { class: "link" });

/** One span of a lane in words: since when, and which cut made it so, and why. */
function sentence(lane, span, at) {
  const [from, to, how, cutAt] = span;
  const until = from === to ? [toTurn(from)] : [toTurn(from), " to ", toTurn(to)];
  const before = at ? lane.spans[at - 1][2] : null;
  const cut = agent().cuts[cutAt];
  const shown = span[4] && span[4] < lane.tokens ? `, ${num(span[4])} of ${num(lane.tokens)} tokens` : "";
  const told = [...until, ": ", el("b", null, STATES[how]), shown];
  if (!at) return [...told, how === "whole" ? ", as it came in." : ", as it came in too long to stand whole."];
  if (!cut) return [...told, before === "out" && how !== "out" ? ", again." : before === how ? ", more of it." : "."];
  const row = cut.left.find((each) => each.lanes.includes(lane.number));
  const verb = how === "out" ? "it left" : before === how ? "a part of it left" : "it was shortened";
  told.push(`. For request ${cut.turn} ${verb} by `, button(`${cut.level}`, () => choose(cut.turn, { cut: cut.number }), { class: "link" }), `: ${cause(cut)}. `);
  if (row && row.score) told.push(`It was ${lastUse(row, cut)}.`, el("details", null, el("summary", null, "How it was rated"), scoreWords(row.score), "."));
  else if (!row) told.push("It stood there only because it had been brought back.");
  return told;
}

/** Show one lane, alone where it is not among those that stand there. */
function openLane(number) {
  const lane = agent().lanes[number];
  if (!wanted().includes(lane)) byId("filter").value = state.filter = "";
  state.shown = Math.max(state.shown, wanted().indexOf(lane) + 1);
  state.lane = -2;
  change({ lane: number });
  const row = byId(`lane-${number}`);
  if (!row) return;
  row.scrollIntoView({ block: "start" });
  row.focus({ preventScroll: true });
}

function startLanes() {
  byId("filter").addEventListener("input", (event) => change({ filter: event.target.value, shown: 40, lane: -1 }));
  byId("filter").addEventListener("keydown", (event) => {
    const first = wanted()[0];
    if (event.key !== "Enter" || !first) return;
    event.preventDefault(); // else it would also press the row that gets the focus
    openLane(first.number);
  });
  byId("order").addEventListener("change", (event) => change({ order: event.target.value }));
  byId("more").addEventListener("click", () => change({ shown: state.shown + 100 }));
  put(byId("lane-legend"), Object.entries(STATES).map(([how, said]) => el("span", null, draw("svg", { class: "bar", viewBox: "0 0 16 12", width: 16, height: 12, "aria-hidden": "true" }, draw("rect", { class: `span ${how}`, x: 0, width: 16, y: 11 - HEIGHT[how], height: HEIGHT[how] })), said)));
  watchers.push((changed) => {
    if (["lane", "filter", "order", "shown", "agent"].some((name) => changed.has(name))) keepFocus(showLanes);
    else if (changed.has("turn")) moveCursors();
  });
}

function moveCursors() {
  const turn = turnAt(state.turn);
  const first = agent().turns[0].turn;
  for (const line of byId("lane-list").querySelectorAll(".cursor")) fill(line, { x1: turn.turn - first + 0.5, x2: turn.turn - first + 0.5 });
}
