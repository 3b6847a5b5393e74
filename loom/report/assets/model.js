// The data, and what is worked out of them once: every request's messages and bands, and names.

const state = { agent: 0, turn: 1, cut: -1, onlyNew: false, filter: "", order: "came", shown: 40, lane: -1 };
const watchers = []; // called with what changed, after every change

const agent = () => data.agents[state.agent];
const turnAt = (turn) => agent().byTurn.get(turn);

/** Work out what is asked for often. */
function prepare() {
  for (const one of data.agents) {
    one.byTurn = new Map();
    let before = [];
    one.turns.forEach((turn, at) => {
      turn.at_ = at;
      turn.full = `${percent(turn.capacity ? turn.total / turn.capacity : 0)} full`;
      scaleBands(turn);
      turn.ids = before.slice(0, turn.shared).concat(turn.new);
      turn.before = before;
      before = turn.ids;
      one.byTurn.set(turn.turn, turn);
    });
    one.cuts.forEach((cut, at) => (cut.number = at));
    one.bands = Object.keys(BANDS).filter((name) => one.turns.some((turn) => turn.bands[name]));
    one.lanes.forEach((lane, at) => {
      lane.number = at;
      lane.words = [lane.title, lane.name, lane.file, lane.entry, lane.page].join(" ").toLowerCase();
    });
  }
}

/** The bands of a request in the tokens of its total, whoever counted that. */
function scaleBands(turn) {
  turn.bands.client = turn.client;
  const counted = Object.values(turn.bands).reduce((sum, tokens) => sum + tokens, 0);
  for (const name in BANDS) turn.bands[name] = counted ? ((turn.bands[name] || 0) * turn.total) / counted : 0;
}

/** A text by its number: {text, whole, length}; text is null where it was left out. */
function textAt(at) {
  const text = data.texts[at];
  const length = data.lengths[at];
  return { text, whole: length === undefined, length: length === undefined ? text.length : length };
}

/** What stands for a text that is not here, or not all of it. */
function missing(found, how) {
  if (found.whole) return null;
  const said = found.text === null ? `This text of ${num(found.length)} characters was left out of the report, to keep it within its size.` : `The first ${num(found.text.length)} of ${num(found.length)} characters.`;
  return el("p", { class: "note" }, `${said} ${how}`);
}

const LEVELS = {
  settle: ["settle", "changed texts joined their partition"],
  step: ["step", "older steps became lines"],
  snip: ["snip", "long results shortened to head, tail and page"],
  micro: ["micro", "repeats and superseded results left"],
  collapse: ["collapse", "old steps became lines"],
  auto: ["auto", "what each entry shows was chosen by worth"],
  renewal: ["renewal", "a fresh window: history folded into a digest"],
  reactive: ["reactive", "the provider refused the request as too long"],
  undo: ["undo", "the session went back to an earlier request"],
  repair: ["repair", "pages that were lost"],
};
const levelOf = (cut) => (LEVELS[cut.level] || [cut.level, "a level of the host's own"]);

const STATES = {
  whole: "whole",
  back: "paged in by the model",
  ahead: "part read ahead by Loom",
  part: "shortened",
  line: "a line",
  out: "out, rests on disk",
};

/** Why a cut was made, in words. */
function cause(cut) {
  const at = `${agent().turns.some((turn) => turn.client) ? "Loom's part of the window" : "the window"} was ${percent(cut.rho)} full`;
  if (cut.level === "undo") return "the session went back to an earlier request";
  if (cut.level === "reactive") return `the provider refused the request as too long, though ${at}`;
  if (cut.mark === null) return at;
  if (cut.asked) return `it was asked for, when ${at}`;
  return `${at}${cut.rho < cut.mark ? ", and more with what is held free for notices" : ""}; ${cut.level} acts from ${percent(cut.mark)}`;
}

/** Change the state and tell all who show it. */
function change(given) {
  const before = { ...state };
  Object.assign(state, given);
  const changed = Object.keys(given).filter((name) => before[name] !== state[name]);
  if (given.agent !== undefined && before.agent !== state.agent) {
    const turns = agent().turns;
    Object.assign(state, { turn: given.turn || (turns.length ? turns[turns.length - 1].turn : 0), cut: -1, lane: -1, shown: 40 }, given);
    changed.push("turn", "cut", "lane");
  }
  if (!changed.length) return;
  remember();
  for (const watch of watchers) watch(new Set(changed));
}

/** Choose a request, and of its cuts the last; without one the last that was made before. */
function choose(turn, more) {
  const one = agent();
  if (!one.turns.length) return;
  const found = one.byTurn.get(turn) || one.turns.reduce((best, each) => (Math.abs(each.turn - turn) < Math.abs(best.turn - turn) ? each : best));
  let cut = -1;
  for (let at = found.at_; at >= 0 && cut < 0; at--) cut = one.turns[at].cuts.length ? one.turns[at].cuts[one.turns[at].cuts.length - 1] : -1;
  change({ turn: found.turn, cut, ...more });
}

/** Keep the place in the address, so that it can be passed on. */
function remember() {
  try {
    history.replaceState(null, "", `#agent=${state.agent}&request=${state.turn}${state.lane >= 0 ? `&page=${state.lane}` : ""}`);
  } catch (error) {
    return; // a page that was not opened from a file or a server has no address
  }
}
