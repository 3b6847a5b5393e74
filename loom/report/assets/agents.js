// The agents as a tree, and what is said of the one that is chosen.

function showAgents() {
  byId("agents").hidden = data.agents.length < 2;
  const below = (number) => data.agents.map((one, at) => [one, at]).filter(([one]) => one.above === number);
  const list = (number) => {
    const found = below(number);
    return found.length ? el("ul", null, found.map(([one, at]) => el("li", null, agentRow(one, at), list(at)))) : null;
  };
  keepFocus(() => put(byId("tree"), list(-1)));
}

/** An agent by its name; by the first words of its session where the name is an id, and no other
 * agent begins with these. */
function calledOf(one) {
  const id = /^(?:[\w-]*-)?(?=[0-9-]*[a-f])[0-9a-f]{8}[0-9a-f-]*$/i.test(one.name);
  return id && one.title && data.agents.filter((each) => each.title === one.title).length < 2 ? one.title : one.name;
}

/** The number of its largest request. */
const largestOf = (one) => one.turns.reduce((most, turn) => (turn.total > most.total ? turn : most)).turn;

/** How many requests of an agent were sent and not refused. */
function sentOf(one) {
  return one.turns.filter((turn) => turn.times).length;
}

function agentRow(one, at) {
  const last = one.turns[one.turns.length - 1];
  const told = one.why || [last && last.full, many(sentOf(one), "request"), many(one.cuts.length, "cut"), one.began && day(one.began), one.goal && oneLine(one.goal, 80)].filter(Boolean).join(" · ");
  return button("", () => change({ agent: at }), { class: "agent", id: `agent-${at}`, "aria-pressed": String(at === state.agent), disabled: !one.turns.length }).appendChild(el("span", null, el("b", { title: one.name }, calledOf(one)), el("span", { class: `state ${one.state}` }, one.state), el("span", { class: "quiet" }, told))).parentNode;
}

/** The verdict: what happened here, in words and in few numbers. */
function showVerdict() {
  if (data.lost) return showLostVerdict();
  const one = agent();
  const sum = one.sums;
  const turns = one.turns.length;
  const capacity = turns ? one.turns[turns - 1].capacity : 0;
  put(byId("source"), el("span", null, pathy([one.title || (one.goal && `goal: ${oneLine(one.goal, 120)}`), one.began && day(one.began), data.source, data.agents.length > 1 && calledOf(one) === one.name && one.name].filter(Boolean).join(" · "))));
  byId("verdict").textContent = !turns ? "No request was made yet." : sum.largest > capacity && one.turns.some((turn) => turn.total > turn.capacity) ? `${many(sentOf(one), "request")}, the largest of ${num(sum.largest)} tokens.` : `${many(sentOf(one), "request")}, each within ${num(capacity)} tokens, the largest ${num(sum.largest)} (request ${largestOf(one)}).`;
  byId("story").textContent = turns ? storyOf(one) : roomOf(one);
  const gone = one.lanes.filter((lane) => lane.spans.length && lane.spans[lane.spans.length - 1][2] === "out").length;
  const facts = [
    ["Tokens sent", short(sum.sent), sum.plain > sum.sent ? `−${share(sum.plain - sum.sent, sum.plain)} against a plain list` : "as much as a plain list"],
    ["Prompt cache", share(sum.reusable, sum.sent), "of all tokens sent stood in the request before"],
    ["Cuts", num(one.cuts.length), `${many(one.cuts.filter((cut) => cut.level === "renewal").length, "renewal")} among them`],
    ["Came back", num(one.lanes.reduce((all, lane) => all + lane.came.length, 0)), "times a text that had left"],
    ["At rest", num(gone), `of ${many(one.lanes.length, "text")}, out of the window`],
  ];
  if (one.pages) facts[4][2] = `of ${many(one.lanes.length, "text")} · ${bytes(one.page_bytes)} of pages`;
  put(byId("facts"), facts.map(([name, value, more]) => el("div", null, el("dt", null, name), el("dd", null, el("b", null, value), el("small", null, more)))));
  put(byId("notes"), notes(one));
  byId("foot").textContent = seen(`Loom ${data.version} · counted in ${one.encoding}${one.exact ? "" : ", an estimate"}${one.model ? ` · model ${one.model}` : ""}${one.policy ? ` · policy ${one.policy}` : ""} · Scores are ${data.scores}.`);
}

const roomOf = (one) => `Of a window of ${num(one.window)} tokens ${num(one.reply)} are kept for the reply. `;

function storyOf(one) {
  const sum = one.sums;
  const over = one.plain_over ? `Sent as a plain list, it would not have fitted from request ${num(one.plain_over)} on` : "Even a plain list would have fitted";
  const saved = sum.plain > sum.sent ? `, and would have taken ${short(sum.plain)} tokens in all; Loom sent ${short(sum.sent)}.` : ".";
  const cuts = one.cuts.length ? ` ${many(one.cuts.length, "cut")} made room: what left rests on disk, byte for byte, and each request can be shown as it was sent.` : " No cut was needed: every request holds the whole session.";
  const twice = sum.requests > sentOf(one) ? ` What was sent again counts again: ${many(sum.requests - sentOf(one), "request")}.` : "";
  const last = one.turns[one.turns.length - 1];
  const told = one.turns.filter((turn) => turn.reported).length;
  const whose = told ? ` ${told === one.turns.length ? "Sizes" : `Sizes of ${many(told, "request")}`} are as the provider reported them.` : "";
  const client = last.client ? ` The client's own instructions and tools, ${num(last.bands.client)} tokens in the last request, are in them.` : "";
  return roomOf(one) + over + saved + twice + cuts + whose + client;
}

/** What is not as one would expect, or not here. */
function notes(one) {
  const left = data.omitted;
  const told = [];
  if (left.texts) told.push(`${many(left.texts, "text")} of ${num(left.of)} (${num(left.characters)} characters), of requests up to ${num(left.through)}, are left out: with them this page would take more than ${bytes(left.limit)}. \`loom report --limit-mb\` sets the size.`);
  if (one.differ.length) told.push(`${many(one.differ.length, "request")} can no longer be made as they were sent (${one.differ.slice(0, 8).join(", ")}${one.differ.length > 8 ? " …" : ""}): a page was damaged or let go since.`);
  if (one.recording && one.recording.length) told.push(`Of the recording: ${one.recording.join("; ")}.`);
  const unread = data.agents.filter((each) => each.why);
  if (unread.length) told.push(`Not read: ${unread.map((each) => `${each.name} (${each.why})`).join("; ")}.`);
  return told.map((text) => el("p", { class: "note" }, text));
}

function startAgents() {
  watchers.push((changed) => {
    if (!changed.has("agent")) return;
    showVerdict();
    showAgents();
  });
}
