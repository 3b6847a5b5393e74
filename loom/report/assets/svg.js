// What the charts share: scales, axes, the shapes of cuts.

/** A scale from numbers to places. */
const scale = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);

/** Round numbers from 0 to a bit above `most`, at most `count` of them. */
function ticks(most, count) {
  const raw = most / count || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * size).find((each) => each >= raw);
  const made = [];
  for (let at = 0; at <= most + step * 0.001; at += step) made.push(at);
  return made;
}

/** Numbers of requests to write below a chart of some width. */
function turnTicks(first, last, width) {
  const found = ticks(last - first, Math.max(2, Math.floor(width / 90))).map((at) => Math.max(first, Math.round(at)));
  return [...new Set(found)].filter((at) => at <= last);
}

/** The path of a band between two rows of points. */
function band(xs, lows, highs) {
  const up = xs.map((x, at) => `${x.toFixed(1)},${highs[at].toFixed(1)}`);
  const down = xs.map((x, at) => `${x.toFixed(1)},${lows[at].toFixed(1)}`).reverse();
  return `M${up.join("L")}L${down.join("L")}Z`;
}
const path = (xs, ys) => `M${xs.map((x, at) => `${x.toFixed(1)},${ys[at].toFixed(1)}`).join("L")}`;

// Level → a shape around 0,0: it tells levels apart without a colour.
const SHAPES = {
  settle: "M0-2.5A2.5 2.5 0 1 1 0 2.5A2.5 2.5 0 1 1 0-2.5Z",
  step: "M-1.5-5H1.5V5H-1.5Z",
  snip: "M-5-4H5L0 5Z",
  micro: "M-4-4H4V4H-4Z",
  collapse: "M0-5.5L5.5 0L0 5.5L-5.5 0Z",
  auto: "M-3-5H3L6 0L3 5H-3L-6 0Z",
  renewal: "M0.0 -7.5L1.8 -2.5L7.1 -2.3L2.9 1.0L4.4 6.1L0.0 3.1L-4.4 6.1L-2.9 1.0L-7.1 -2.3L-1.8 -2.5Z",
  reactive: "M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
  undo: "M5-5V5L-5 0Z",
  repair: "M-5-5L5 5M5-5L-5 5",
};
const shape = (level, given) => draw("path", { d: SHAPES[level] || SHAPES.step, class: `mark mark-${SHAPES[level] ? level : "step"}`, ...given });

/** A shape in a picture of its own, for a legend or a line of text. */
const shapeIcon = (level) => draw("svg", { viewBox: "-8 -8 16 16", width: 14, height: 14, "aria-hidden": "true" }, shape(level));

/** Draw into a place now, and again whenever its width changes. */
function drawn(place, make) {
  let width = 0;
  const again = () => {
    const now = Math.floor(place.clientWidth);
    if (now > 0 && data) {
      width = now;
      make(now, place.clientHeight);
    }
  };
  new ResizeObserver(() => Math.floor(place.clientWidth) !== width && again()).observe(place);
  return again;
}

const label = (x, y, text, given) => {
  const made = draw("text", { x, y, ...given });
  made.textContent = text;
  return made;
};
