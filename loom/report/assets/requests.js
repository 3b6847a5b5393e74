// One request, exactly as it was sent: its messages, and what changed since the one before.

const MOST_OPEN = 6;
const PREVIEW = 140;
const DASHBOARD = /^(\[dashboard[^\]]*\])\s+ρ [\d.]+(?: ·)?/; // which its unfolded text tells
const SIGN = { text: "", call: "call", result: "result", thought: "reasoning", media: "media" };

/** The messages of a request with what is so of each: new, moved, or as before. */
function compared(turn) {
  const before = new Set(turn.before);
  return turn.ids.map((id, at) => ({ id, at, mark: at < turn.shared ? "same" : before.has(id) ? "moved" : "new" }));
}

function showRequest() {
  const turn = turnAt(state.turn);
  byId("request-title").textContent = turn ? `Request ${turn.turn}` : "Request";
  if (!turn) return put(byId("messages"), el("li", { class: "quiet" }, "No request was made yet."));
  const rows = compared(turn);
  const fresh = rows.filter((row) => row.mark !== "same");
  const kept = new Set(turn.ids);
  const left = turn.before.filter((id) => !kept.has(id));
  requestFacts(turn, fresh.length, left.length);
  let open = 0;
  const list = rows.filter((row) => !state.onlyNew || row.mark !== "same");
  const made = list.map((row) => messageRow(row, row.mark === "new" && data.messages[row.id].entry !== "notice" && fresh.length <= 12 && open++ < MOST_OPEN));
  const tools = state.onlyNew ? null : toolsRow(turn);
  put(byId("messages"), tools, made.length ? made : el("li", { class: "quiet" }, "Nothing is new."), left.length ? leftRow(turn, left) : null);
  byId("only-new").setAttribute("aria-pressed", String(state.onlyNew));
}

function requestFacts(turn, fresh, left) {
  const reuse = turn.at_ ? `${share(turn.reusable, turn.total)} of its tokens stood in the request before` : "the first one";
  const odd = turn.sha256 && turn.sha256 !== turn.found;
  put(
    byId("request-facts"),
    el("span", null, `${many(turn.messages, "message")} · ${num(turn.total)} tokens · ${turn.full} · ${reuse} · ${num(fresh)} new, ${num(left)} gone`),
    el("span", { class: "mono" }, ` sha256 ${turn.found.slice(0, 12)}`),
    el("span", null, odd ? " · not as it was sent: a page was damaged or let go since" : turn.sha256 ? " as recorded" : " · none is recorded"),
    turn.undone ? el("span", null, " · undone later") : null,
    turn.times ? null : el("span", null, " · refused by the provider, in no sum"),
    ` · ${new Date(turn.at).toISOString().replace("T", " ").slice(0, 19)} UTC`,
  );
}

const MARKS = { new: ["+", "new since the request before"], moved: ["↕", "stood elsewhere in the request before"], same: ["", "as in the request before"] };

function messageRow(row, open) {
  const message = data.messages[row.id];
  const [sign, said] = MARKS[row.mark];
  const body = el("div", { class: "body" });
  const calls = message.blocks.filter((block) => block.kind === "call").map((block) => block.name);
  const kind = message.role === "tool" ? message.blocks[0].name : calls.length ? calls.join(", ") : "";
  const summary = el(
    "summary",
    null,
    el("span", { class: "sign", title: said }, sign || " "),
    el("span", { class: `role ${message.role}` }, message.role),
    el("span", { class: "place" }, el("i", { class: `swatch ${message.band}`, title: BANDS[message.band] }), el("span", null, message.entry)),
    el("span", { class: "about" }, kind ? el("b", null, `${clip(kind, 40)} `) : null, preview(message)),
    el("span", { class: "count" }, num(message.tokens)),
    el("span", { class: "hidden" }, ` tokens, ${BANDS[message.band]}, ${said}`),
  );
  const made = el("details", null, summary, body);
  made.addEventListener("toggle", () => made.open && !body.firstChild && body.append(...blocks(message)));
  made.open = open;
  return el("li", { class: `message ${row.mark}` }, made);
}

function preview(message) {
  for (const block of message.blocks) {
    const text = data.texts[block.text];
    if (text === null) return "(left out of this report)";
    if (text.trim()) return pathy(oneLine(text.replace(DASHBOARD, "$1"), PREVIEW));
  }
  return "";
}

/** Every block of a message, whole. */
function blocks(message) {
  return message.blocks.flatMap((block) => {
    const found = textAt(block.text);
    const named = [SIGN[block.kind], block.name, block.id, block.part && `partition ${block.part}`, block.error && "failed"].filter(Boolean).join(" · ");
    const gap = missing(found, "`loom show DIR --turn N` has it.");
    return [named ? el("p", { class: "block" }, pathy(named)) : null, ...(found.text === null ? [] : reading(found.text, named || message.role)), gap].filter(Boolean);
  });
}

function toolsRow(turn) {
  const tools = data.tools[turn.tools] || [];
  if (!tools.length) return null;
  const body = el("div", { class: "body" });
  const summary = el("summary", null, el("span", { class: "sign" }, " "), el("span", { class: "role tools-role" }, "tools"), el("span", { class: "place" }, el("i", { class: "swatch instructions" }), el("span", null, "declared")), el("span", { class: "about" }, many(tools.length, "tool")), el("span", { class: "count" }, ""));
  const made = el("details", null, summary, body);
  made.addEventListener("toggle", () => {
    if (made.open && !body.firstChild) for (const at of tools) body.append(...[missing(textAt(at), ""), ...(data.texts[at] === null ? [] : reading(data.texts[at], "Tool"))].filter(Boolean));
  });
  return el("li", { class: "message same" }, made);
}

/** The messages of the request before that are not in this one. */
function leftRow(turn, left) {
  const tokens = left.reduce((sum, id) => sum + data.messages[id].tokens, 0);
  const list = el("ol", { class: "messages gone" });
  const made = el("details", { class: "gone" }, el("summary", null, `− ${many(left.length, "message")} of the request before, ${num(tokens)} tokens, ${left.length === 1 ? "is" : "are"} not in it`), list);
  made.addEventListener("toggle", () => made.open && !list.firstChild && list.append(...left.map((id) => messageRow({ id, mark: "same" }, false))));
  return el("li", { class: "message" }, made);
}

function startRequests() {
  byId("only-new").addEventListener("click", () => change({ onlyNew: !state.onlyNew }));
  byId("open-all").addEventListener("click", () => byId("messages").querySelectorAll(":scope > .message > details:not(.gone)").forEach((one) => (one.open = true)));
  byId("close-all").addEventListener("click", () => byId("messages").querySelectorAll("details").forEach((one) => (one.open = false)));
  watchers.push((changed) => (changed.has("turn") || changed.has("agent") || changed.has("onlyNew")) && showRequest());
}

// The scrubber

function showScrubber() {
  const turns = agent().turns;
  const at = turnAt(state.turn);
  const slider = byId("slider");
  fill(slider, { min: 0, max: Math.max(turns.length - 1, 0) });
  slider.max = Math.max(turns.length - 1, 0);
  slider.value = at ? at.at_ : 0;
  slider.setAttribute("aria-valuetext", at ? `request ${at.turn}` : "none");
  if (document.activeElement !== byId("number")) byId("number").value = at ? at.turn : "";
  byId("of").textContent = turns.length ? `of ${num(turns[turns.length - 1].turn)}` : "";
  byId("prev").disabled = !at || at.at_ === 0;
  byId("next").disabled = !at || at.at_ === turns.length - 1;
}

/** Go so many requests on, or back. */
function step(by) {
  const turns = agent().turns;
  const at = turnAt(state.turn);
  if (!at) return;
  choose(turns[Math.min(Math.max(at.at_ + by, 0), turns.length - 1)].turn);
  say(`Request ${state.turn}`);
}

/** Go to the request of the next cut, or the one before. */
function stepCut(by) {
  const turns = agent().turns.filter((turn) => turn.cuts.length && (by > 0 ? turn.turn > state.turn : turn.turn < state.turn));
  if (turns.length) choose((by > 0 ? turns[0] : turns[turns.length - 1]).turn);
}

function startScrubber() {
  byId("prev").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("slider").addEventListener("input", (event) => choose(agent().turns[Number(event.target.value)].turn));
  const field = byId("number");
  const go = () => {
    const asked = parseInt(field.value.replace(/[^0-9]/g, ""), 10);
    if (asked) choose(asked);
    field.value = state.turn;
  };
  field.addEventListener("change", go);
  field.addEventListener("focus", () => field.select());
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    go();
    byId("request").scrollIntoView({ block: "nearest" });
    say(`Request ${state.turn}`);
  });
  watchers.push((changed) => (changed.has("turn") || changed.has("agent")) && showScrubber());
}
