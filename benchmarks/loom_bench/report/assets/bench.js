// The page of a run of strategies: ranks, scores by scenario, cost against score, faults.

let chosen = 0; // number of the window that is shown
const OURS = "loom";
const told = () => data.windows[chosen];

/** A figure as it is read: a share in percent, anything else as a number. */
function figure(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "%") return `${(100 * value).toFixed(1)} %`;
  return value >= 100 || Number.isInteger(value) ? num(value) : value.toFixed(2);
}
const score = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));

const head = (texts) => el("thead", {}, el("tr", {}, texts.map((text) => el("th", { scope: "col" }, text))));
const rowHead = (text) => el("th", { scope: "row" }, text);

function showRanks() {
  const rows = told().ranks.map((one, at) =>
    el("tr", {}, rowHead(`${at + 1}  ${one.strategy}`), el("td", {}, one.failed ? `${many(one.failed, "run")} failed` : score(one.score)),
      data.columns.map((column) =>
        el("td", { class: one.best.includes(column.name) ? "best" : null }, figure(one.figures[column.name], column.unit)))),
  );
  put(byId("rank-table"), el("table", {}, head(["strategy", "score", ...data.columns.map((one) => one.name)]), el("tbody", {}, rows)));
}

function showBeaten() {
  put(byId("beaten"), told().beaten.map((text) => el("li", {}, text)));
}

function showHeat() {
  const names = told().ranks.map((one) => one.strategy);
  const rows = told().scenarios.map(([scenario, scores]) =>
    el("tr", {}, rowHead(scenario), names.map((name) => {
      const value = scores[name];
      const cell = el("td", { class: "heat" }, score(value));
      cell.style.setProperty("--score", value || 0);
      return cell;
    })),
  );
  put(byId("heat"), el("table", {}, head(["scenario", ...names]), el("tbody", {}, rows)));
}

/** Places of labels from top to bottom, so that none stands on another. */
function spaced(wanted, height) {
  const order = wanted.map((y, at) => [y, at]).sort((a, b) => a[0] - b[0]);
  const made = [];
  let last = -1e9;
  for (const [y, at] of order) made[at] = last = Math.max(y, last + 13);
  const over = Math.max(0, last - height);
  return made.map((y) => y - over);
}

function showScatter(width, height) {
  const column = data.columns.find((one) => one.name === "cost");
  const points = told().ranks.filter((one) => one.score !== null && column && one.figures.cost !== null);
  if (!points.length) return put(byId("scatter"), el("p", { class: "empty quiet" }, "No judge of this run tells a cost and a score."));
  const most = Math.max(...points.map((one) => one.figures.cost)) || 1;
  const x = scale(0, most, 44, width - 130);
  const y = scale(0, 1, height - 34, 14);
  const lines = ticks(1, 4).map((at) => [draw("line", { x1: 44, x2: width - 10, y1: y(at), y2: y(at), class: "grid" }), label(38, y(at) + 4, at.toFixed(2), { class: "end" })]);
  const below = ticks(most, Math.max(2, Math.floor(width / 140))).filter((at) => at <= most).map((at) => label(x(at), height - 16, figure(at, column.unit), { class: "mid" }));
  const places = spaced(points.map((one) => y(one.score) + 4), height - 36);
  const dots = points.map((one, at) => [
    draw("circle", { cx: x(one.figures.cost), cy: y(one.score), r: 5, class: one.strategy === OURS ? "dot ours" : "dot" }),
    label(x(one.figures.cost) + 9, places[at], clip(seen(one.strategy), 20), { class: one.strategy === OURS ? "strong" : null }),
  ]);
  const axis = label((width - 86) / 2, height - 2, `cost, ${column.about}`.slice(0, Math.floor(width / 7)), { class: "mid" });
  put(byId("scatter"), draw("svg", { width, height, role: "img", "aria-label": "Cost against score" }, lines.flat(), below, axis, dots.flat()));
}

function showFaults() {
  const rows = told().ranks.map((one) => {
    const found = data.faults.filter((fault) => fault.strategy === one.strategy && fault.window === told().window);
    return found.length && el("details", {}, el("summary", {}, `${one.strategy}: ${many(found.length, "example")}`),
      el("ul", {}, found.map((fault) => el("li", {}, `${fault.scenario}, seed ${fault.seed}, ${fault.text}`))));
  });
  put(byId("faults"), rows.some(Boolean) ? rows : el("p", { class: "empty quiet" }, "No judge told a fault."));
}

function showAbout() {
  put(byId("about"), data.columns.flatMap((one) => [
    el("dt", {}, one.name),
    el("dd", {}, one.about, one.scored ? " (scored)" : "", one.better ? ` · ${one.better} is good` : ""),
  ]));
}

const again = drawn(byId("scatter"), showScatter);

function choose(at) {
  chosen = at;
  [...byId("windows").children].forEach((one, number) => one.setAttribute("aria-pressed", number === at));
  for (const show of [showRanks, showBeaten, showHeat, again, showFaults]) show();
}

async function start() {
  startTheme();
  try {
    data = await loaded();
  } catch (error) {
    byId("verdict").textContent = "This report cannot be read: the file was cut off, or the browser is too old to unpack it.";
    return;
  }
  byId("source").textContent = seen(data.source);
  byId("verdict").textContent = seen(data.title);
  byId("story").textContent = seen(data.story);
  put(byId("windows"), data.windows.map((one, at) => button(`${num(one.window)} tokens`, () => choose(at), {})));
  byId("foot").textContent = seen(`Loom ${data.version}`);
  showAbout();
  document.documentElement.dataset.ready = "yes";
  if (data.windows.length) choose(0);
}

start();
