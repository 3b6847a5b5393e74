// The chart of pressure: what fills each request in bands, its capacity, and the cuts.

const DROPS_MOST = 150; // cuts, above which lines down from them would hide what they point at
const pressure = { xs: [], at: null, hover: -1 };

const redrawPressure = drawn(byId("pressure"), (width, height) => {
  const one = agent();
  const turns = one.turns;
  if (!turns.length) return put(byId("pressure"), el("p", { class: "quiet empty" }, "No request was made yet."));
  const room = { left: 52, right: width - 44, top: 34, bottom: height - 24 };
  const first = turns[0].turn;
  const last = turns[turns.length - 1].turn;
  const most = Math.max(...turns.map((turn) => Math.max(turn.capacity, turn.total))) * 1.04;
  const x = scale(first, Math.max(last, first + 1), room.left, room.right);
  const y = scale(0, most, room.bottom, room.top);
  const xs = turns.map((turn) => x(turn.turn));
  pressure.xs = xs;
  pressure.room = room;

  const made = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  for (const at of ticks(most, 4)) {
    if (at > most) continue;
    made.append(draw("line", { class: "grid", x1: room.left, x2: room.right, y1: y(at), y2: y(at) }), label(room.left - 8, y(at) + 4, short(at), { class: "axis end" }));
  }
  let lows = turns.map(() => y(0));
  const sums = turns.map(() => 0);
  for (const name of one.bands) {
    turns.forEach((turn, at) => (sums[at] += turn.bands[name]));
    const highs = sums.map(y);
    if (turns.length > 1) made.append(draw("path", { class: `area ${name}`, d: band(xs, lows, highs) }));
    else made.append(draw("rect", { class: `area ${name}`, x: room.left, width: 24, y: highs[0], height: Math.max(lows[0] - highs[0], 0) }));
    lows = highs;
  }
  const capacities = turns.map((turn) => y(turn.capacity));
  made.append(draw("path", { class: "capacity", d: path(turns.length > 1 ? xs : [room.left, room.right], turns.length > 1 ? capacities : [capacities[0], capacities[0]]) }));
  const end = turns[turns.length - 1].capacity;
  for (const part of [0, 0.25, 0.5, 0.75, 1]) made.append(label(room.right + 6, y(part * end) + 4, percent(part), { class: "axis" }));
  made.append(label(room.right + 6, room.top - 18, "full", { class: "axis" }), label(room.left - 8, room.top - 18, "tokens", { class: "axis end" }));
  for (const at of turnTicks(first, last, room.right - room.left)) made.append(label(x(at), height - 6, at, { class: "axis mid" }));
  made.append(...marks(one, x, room, y));
  pressure.line = draw("line", { class: "cursor", y1: room.top - 4, y2: room.bottom });
  pressure.ghost = draw("line", { class: "ghost", y1: room.top - 4, y2: room.bottom, visibility: "hidden" });
  made.append(pressure.ghost, pressure.line);
  put(byId("pressure"), made);
  pointAt();
});

/** The marks of cuts above the areas; names where there is room for them. */
function marks(one, x, room, y) {
  const made = [];
  let free = room.left + 36; // where the next name may stand
  const size = Math.min(Math.max((room.right - room.left) / Math.max(one.cuts.length, 1) / 11, 0.5), 1);
  for (const cut of one.cuts) {
    const turn = one.byTurn.get(cut.turn);
    const at = x(turn ? turn.turn : cut.turn);
    if (at > room.right + 1) continue;
    const group = draw("g", { class: "cut", transform: `translate(${at.toFixed(1)} ${room.top - 10}) scale(${size.toFixed(2)})` }, shape(cut.level));
    made.push(group);
    if (one.cuts.length <= DROPS_MOST) made.push(draw("line", { class: "drop", x1: at, x2: at, y1: room.top - 3, y2: Math.max(y(cut.before), room.top) }));
    if (at > free && at < room.right - 20) {
      made.push(label(at, 11, cut.level, { class: "axis mid level" }));
      free = at + 56;
    }
  }
  return made;
}

/** Move the line to the request that is chosen. */
function pointAt() {
  const turn = turnAt(state.turn);
  if (!turn || !pressure.line) return;
  const x = pressure.xs[turn.at_];
  pressure.line.setAttribute("x1", x);
  pressure.line.setAttribute("x2", x);
  tell(turn);
  const place = byId("pressure");
  place.setAttribute("aria-valuenow", turn.turn);
  place.setAttribute("aria-valuetext", `request ${turn.turn}, ${num(turn.total)} of ${num(turn.capacity)} tokens, ${turn.full}${turn.cuts.length ? `, cut: ${turn.cuts.map((at) => agent().cuts[at].level).join(", ")}` : ""}`);
}

/** The numbers of a request below the chart. */
function tell(turn) {
  const parts = agent().bands.map((name) => el("span", { class: "part" }, el("i", { class: `swatch ${name}` }), `${BANDS[name]} ${num(turn.bands[name])}`));
  const cuts = turn.cuts.map((at) => el("span", { class: "part" }, shapeIcon(agent().cuts[at].level), agent().cuts[at].level));
  put(byId("readout"), el("b", null, `Request ${turn.turn}`), el("span", null, `${num(turn.total)} of ${num(turn.capacity)} tokens`), el("span", { title: `ρ ${turn.rho.toFixed(3)} of what Loom fills` }, turn.full), ...parts, ...cuts);
}

/** The number of the point of a chart that lies nearest to the pointer. */
function nearest(event, xs) {
  const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
  return xs.reduce((best, each, at) => (Math.abs(each - x) < Math.abs(xs[best] - x) ? at : best), 0);
}

function startPressure() {
  const place = byId("pressure");
  fill(place, { tabindex: "0", role: "slider", "aria-label": "Pressure by request", "aria-orientation": "horizontal" });
  place.addEventListener("pointermove", (event) => {
    if (!pressure.xs.length) return;
    const turn = agent().turns[nearest(event, pressure.xs)];
    fill(pressure.ghost, { x1: pressure.xs[turn.at_], x2: pressure.xs[turn.at_], visibility: "visible" });
    tell(turn);
  });
  place.addEventListener("pointerleave", () => {
    if (pressure.ghost) pressure.ghost.setAttribute("visibility", "hidden");
    pointAt();
  });
  place.addEventListener("click", (event) => pressure.xs.length && choose(agent().turns[nearest(event, pressure.xs)].turn));
  watchers.push((changed) => {
    if (changed.has("agent")) {
      redrawPressure();
      legend();
    } else if (changed.has("turn")) pointAt();
  });
}

/** What colours and shapes mean; shapes of the levels that occur alone. */
function legend() {
  const levels = Object.keys(LEVELS).filter((level) => agent().cuts.some((cut) => cut.level === level));
  const turns = agent().turns;
  fill(byId("pressure"), { "aria-valuemin": turns.length ? turns[0].turn : 0, "aria-valuemax": turns.length ? turns[turns.length - 1].turn : 0 });
  put(
    byId("legend"),
    el("span", null, el("i", { class: "swatch line" }), "capacity"),
    levels.map((level) => el("span", { title: LEVELS[level][1] }, shapeIcon(level), level)),
  );
}
