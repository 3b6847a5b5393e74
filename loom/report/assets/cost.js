// What the session cost, beside a plain list that is sent whole with each request.

const cost = { xs: [] };

const redrawCost = drawn(byId("cost"), (width, height) => {
  const turns = agent().turns;
  if (!turns.length) return put(byId("cost"));
  const room = { left: 52, right: width - 44, top: 14, bottom: height - 74 };
  const strip = { top: height - 54, bottom: height - 24 };
  const first = turns[0].turn;
  const last = turns[turns.length - 1].turn;
  const most = Math.max(...turns.map((turn) => Math.max(turn.plain, turn.total, turn.capacity))) * 1.05;
  const x = scale(first, Math.max(last, first + 1), room.left, room.right);
  const y = scale(0, most, room.bottom, room.top);
  const xs = turns.map((turn) => x(turn.turn));
  cost.xs = xs;
  const made = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Tokens of each request: Loom at most ${num(agent().sums.largest)}, a plain list up to ${num(turns[turns.length - 1].plain)}` });
  for (const at of ticks(most, 3)) {
    if (at > most) continue;
    made.append(draw("line", { class: "grid", x1: room.left, x2: room.right, y1: y(at), y2: y(at) }), label(room.left - 8, y(at) + 4, short(at), { class: "axis end" }));
  }
  const zero = turns.map(() => y(0));
  const sent = turns.map((turn) => y(turn.total));
  const plain = turns.map((turn) => y(turn.plain));
  if (turns.length > 1) {
    made.append(draw("path", { class: "saved", d: band(xs, sent, plain) }), draw("path", { class: "area history", d: band(xs, zero, sent) }), draw("path", { class: "plain", d: path(xs, plain) }), draw("path", { class: "capacity", d: path(xs, turns.map((turn) => y(turn.capacity))) }));
    const reused = scale(0, 1, strip.bottom, strip.top);
    const floor = turns.map(() => strip.bottom);
    made.append(draw("rect", { class: "rail", x: room.left, y: strip.top, width: room.right - room.left, height: strip.bottom - strip.top }), draw("path", { class: "reuse", d: band(xs, floor, turns.map((turn) => reused(turn.total ? turn.reusable / turn.total : 0))) }));
  }
  made.append(label(room.left - 8, strip.top + 9, "100 %", { class: "axis end" }), label(room.left - 8, strip.bottom, "0", { class: "axis end" }), label(room.left, strip.top - 5, "prefix as in the request before", { class: "axis" }));
  for (const at of turnTicks(first, last, room.right - room.left)) made.append(label(x(at), height - 6, at, { class: "axis mid" }));
  cost.line = draw("line", { class: "cursor", y1: room.top, y2: strip.bottom });
  made.append(cost.line);
  put(byId("cost"), made);
  pointCost();
});

function pointCost() {
  const turn = turnAt(state.turn);
  if (!turn || !cost.line) return;
  fill(cost.line, { x1: cost.xs[turn.at_], x2: cost.xs[turn.at_] });
  put(
    byId("cost-readout"),
    el("b", null, `Request ${turn.turn}`),
    el("span", { class: "part" }, el("i", { class: "swatch history" }), `Loom sent ${num(turn.total)}`),
    el("span", { class: "part" }, el("i", { class: "swatch dashed" }), `a plain list ${num(turn.plain)}${turn.plain > turn.capacity ? ", which does not fit" : ""}`),
    el("span", { class: "part" }, el("i", { class: "swatch reuse" }), `${num(turn.reusable)} of ${num(turn.total)} tokens as before (${share(turn.reusable, turn.total)})`),
  );
}

const dollars = (value) => `$${value >= 0.1 ? value.toFixed(2) : value.toPrecision(3)}`;

/** The sums of all requests, in a table. */
function showBill() {
  const one = agent();
  const sum = one.sums;
  const price = one.prices;
  const rows = [["Tokens sent", sum.sent, sum.plain, (value) => num(value)]];
  if (price) rows.push(["Input cost, prompt cache counted", sum.cost, sum.plain_cost, dollars]);
  const whose = price && (price.known ? `Prices of ${price.model}` : `${one.model || "The model"} has no price here; those of a usual one`);
  const said = price ? `${whose}, ${price.as_of}: $${price.read} for a million tokens from the prompt cache, $${price.write} for a million new ones; replies are not counted.` : "";
  const line = ([name, ours, theirs, told]) => el("tr", null, el("th", { scope: "row" }, name), el("td", null, told(ours)), el("td", null, told(theirs)), el("td", null, theirs ? `${ours <= theirs ? "−" : "+"}${share(Math.abs(theirs - ours), theirs)}` : "–"));
  put(
    byId("bill"),
    el("table", { class: "bill" }, el("caption", { class: "hidden" }, "Sums of all requests"), el("thead", null, el("tr", null, el("td", null), el("th", { scope: "col" }, "Loom"), el("th", { scope: "col" }, "Plain list"), el("th", { scope: "col" }, "Difference"))), el("tbody", null, rows.map(line))),
    el("p", { class: "quiet" }, `${share(sum.reusable, sum.sent)} of all tokens sent stood at the front of the request before. ${said} A plain list holds every message in full, what Loom's tools answered among them, and no digest, dashboard or tool of Loom's; past its window no provider would take it, and it is counted on all the same.`),
  );
}

function startCost() {
  watchers.push((changed) => {
    if (changed.has("agent")) {
      redrawCost();
      showBill();
    } else if (changed.has("turn")) pointCost();
  });
  byId("cost").addEventListener("click", (event) => cost.xs.length && choose(agent().turns[nearest(event, cost.xs)].turn));
}
