// One box for everything: requests by number, pages and files by name, cuts, and words in texts.

const FOUND_MOST = 40;
const TEXTS_MOST = 16;
const TEXT_LEAST = 3; // letters before texts are looked through
const finding = { hits: [], at: -1, waits: 0 };

function hitsOf(asked) {
  const words = asked.toLowerCase().trim();
  if (!words) return [];
  return [...requestHits(words), ...laneHits(words), ...cutHits(words), ...agentHits(words), ...(words.length >= TEXT_LEAST ? textHits(words) : [])].slice(0, FOUND_MOST);
}

function requestHits(words) {
  const found = /^(?:(?:request|turn|r|t|#)\s*)?(\d+)$/.exec(words);
  const turn = found && turnAt(Number(found[1]));
  return turn ? [{ kind: "request", text: `Request ${turn.turn}`, more: `${num(turn.total)} tokens, ${turn.full}`, go: () => goTurn(turn.turn) }] : [];
}

function goTurn(turn) {
  choose(turn);
  byId("request").scrollIntoView({ block: "start" });
  byId("request").focus({ preventScroll: true });
}

function laneHits(words) {
  const parts = words.split(/\s+/);
  const found = agent().lanes.filter((lane) => parts.every((word) => lane.words.includes(word)));
  // A lane that left says more than one that never did.
  found.sort((one, two) => Number(two.spans.length > 1) - Number(one.spans.length > 1) || two.spans.length - one.spans.length);
  return found.slice(0, 12).map((lane) => ({ kind: "page", text: lane.title || lane.name, more: `${lane.page || lane.entry} · ${story(lane)}`, go: () => openLane(lane.number) }));
}

/** The life of a text in few words. */
function story(lane) {
  const left = lane.spans.find((span) => span[2] === "out");
  const came = lane.came.length ? `, back ${lane.came.length} ×` : "";
  return left ? `left at request ${left[0]}${came}` : "never left";
}

function cutHits(words) {
  const found = agent().cuts.filter((cut) => cut.level.startsWith(words) || (words.startsWith("cut") && `cut ${cut.turn}` === words));
  return found.slice(0, 8).map((cut) => ({ kind: "cut", text: `${cut.level} for request ${cut.turn}`, more: `${num(cut.before)} → ${num(cut.after)} tokens`, go: () => goCut(cut) }));
}

function agentHits(words) {
  const found = data.agents.map((one, at) => [one, at]).filter(([one]) => data.agents.length > 1 && one.turns.length && `${one.name} ${one.title || ""}`.toLowerCase().includes(words));
  return found.slice(0, 6).map(([one, at]) => ({ kind: "agent", text: calledOf(one), more: `${one.state} · ${many(one.turns.length, "request")}`, go: () => change({ agent: at }) }));
}

function goCut(cut) {
  choose(cut.turn, { cut: cut.number });
  byId("cut").scrollIntoView({ block: "nearest" });
  byId("cut").focus({ preventScroll: true });
}

/** Messages whose text holds the words, each with the first request it stands in; then pages of
 * which no request shows that part. */
function textHits(words) {
  const holding = new Map();
  data.texts.forEach((text, at) => {
    const found = text === null ? -1 : text.toLowerCase().indexOf(words);
    if (found >= 0) holding.set(at, found);
  });
  if (!holding.size) return [];
  const made = [];
  for (const turn of agent().turns) {
    for (const id of turn.new) {
      const block = data.messages[id].blocks.find((each) => holding.has(each.text));
      if (!block) continue;
      const text = data.texts[block.text];
      const at = holding.get(block.text);
      holding.delete(block.text);
      const around = oneLine(text.slice(Math.max(at - 30, 0), at + 90), 110);
      made.push({ kind: "text", text: around, more: `${data.messages[id].entry}, first in request ${turn.turn}`, go: () => goMessage(turn.turn, id) });
      if (made.length >= TEXTS_MOST) return made;
    }
  }
  for (const lane of agent().lanes) {
    const at = holding.get(lane.text);
    if (at === undefined || made.length >= TEXTS_MOST) continue;
    const around = oneLine(data.texts[lane.text].slice(Math.max(at - 30, 0), at + 90), 110);
    made.push({ kind: "text", text: around, more: `${lane.page || lane.entry}, on disk alone`, go: () => openLane(lane.number) });
  }
  return made;
}

function goMessage(turn, id) {
  state.onlyNew = false;
  goTurn(turn);
  const at = turnAt(turn).ids.indexOf(id);
  const skip = data.tools[turnAt(turn).tools] && data.tools[turnAt(turn).tools].length ? 1 : 0;
  const row = byId("messages").children[at + skip];
  if (!row) return;
  row.querySelector("details").open = true;
  row.scrollIntoView({ block: "center" });
  row.querySelector("summary").focus({ preventScroll: true });
}

function showFound() {
  const box = byId("search");
  const list = byId("found");
  const asked = box.value.trim();
  finding.hits = hitsOf(box.value);
  finding.at = finding.hits.length ? 0 : -1;
  list.hidden = !asked;
  box.setAttribute("aria-expanded", String(Boolean(asked)));
  put(list, finding.hits.length ? finding.hits.map(hitRow) : el("li", { class: "quiet", role: "option", "aria-disabled": "true" }, "Nothing found in this session."));
  point(finding.at);
}

function hitRow(hit, at) {
  return el("li", { role: "option", id: `hit-${at}`, on: { mousedown: (event) => event.preventDefault(), click: () => take(at) } }, el("span", { class: "kind" }, hit.kind), el("span", { class: "what" }, pathy(clip(hit.text, 110))), el("small", null, pathy(hit.more)));
}

function point(at) {
  finding.at = at;
  byId("found").querySelectorAll("li").forEach((row, number) => row.setAttribute("aria-selected", String(number === at)));
  const row = byId(`hit-${at}`);
  byId("search").setAttribute("aria-activedescendant", row ? row.id : "");
  if (row) row.scrollIntoView({ block: "nearest" });
}

function take(at) {
  const hit = finding.hits[at];
  closeFound();
  if (hit) hit.go();
}

function closeFound() {
  byId("found").hidden = true;
  byId("search").setAttribute("aria-expanded", "false");
}

const MOVES = { ArrowDown: 1, ArrowUp: -1 };

function startSearch() {
  const box = byId("search");
  box.addEventListener("input", () => {
    clearTimeout(finding.waits);
    finding.waits = setTimeout(showFound, 60);
  });
  box.addEventListener("focus", () => box.value && showFound());
  box.addEventListener("blur", closeFound);
  box.addEventListener("keydown", (event) => {
    if (event.key in MOVES && finding.hits.length) {
      event.preventDefault();
      point((finding.at + MOVES[event.key] + finding.hits.length) % finding.hits.length);
    } else if (event.key === "Enter") {
      event.preventDefault(); // else it would also press what gets the focus
      clearTimeout(finding.waits);
      const at = finding.at;
      const shown = !byId("found").hidden;
      if (!shown || hitsOf(box.value).length !== finding.hits.length) showFound();
      take(Math.max(shown ? at : 0, 0));
    } else if (event.key === "Escape") {
      closeFound();
      box.blur();
    }
  });
}
