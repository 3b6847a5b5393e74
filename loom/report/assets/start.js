// Keys of the whole page, and the beginning.

const KEYS = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  PageUp: () => step(-10),
  PageDown: () => step(10),
  Home: () => step(-1e9),
  End: () => step(1e9),
  "[": () => stepCut(-1),
  "]": () => stepCut(1),
};

function typing(place) {
  return place && (place.tagName === "INPUT" || place.tagName === "SELECT" || place.tagName === "TEXTAREA");
}

/** True where a key moves what has the focus: a text, or a list that is longer than its place. */
function scrolls(place, key) {
  if (!["PageUp", "PageDown", "Home", "End"].includes(key)) return false;
  if (place && place.closest("pre, .scroll")) return true;
  return !(place && (place.id === "pressure" || place.closest(".scrub")));
}

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const place = document.activeElement;
  if (event.key === "/" && !typing(place)) {
    event.preventDefault();
    byId("search").focus();
    byId("search").select();
    return;
  }
  const act = KEYS[event.key];
  if (!act || (typing(place) && place.id !== "slider") || scrolls(place, event.key)) return;
  if (event.key.startsWith("Arrow") && place && place.closest("pre, .scroll")) return;
  event.preventDefault();
  act();
}

/** The agent and request an address names, else the first agent's last request. */
function asked() {
  const named = new URLSearchParams(location.hash.slice(1));
  const first = Math.max(data.agents.findIndex((one) => one.turns.length), 0);
  const wishes = data.agents[Number(named.get("agent") || -1)] ? Number(named.get("agent")) : first;
  const turns = data.agents[wishes].turns;
  const last = turns.length ? turns[turns.length - 1].turn : 0;
  return [wishes, Number(named.get("request")) || last, named.get("page")];
}

async function start() {
  startTheme();
  try {
    data = await loaded();
  } catch (error) {
    byId("verdict").textContent = "This report cannot be read: the file was cut off, or the browser is too old to unpack it.";
    return;
  }
  prepare();
  showLost();
  if (!data.agents.length) return (document.documentElement.dataset.ready = "yes");
  for (const begin of [startAgents, startPressure, startScrubber, startRequests, startCuts, startLanes, startCost, startSearch]) begin();
  document.addEventListener("keydown", onKey);
  const [number, turn, page] = asked();
  state.agent = number;
  state.turn = turn;
  for (const watch of watchers) watch(new Set(["agent"]));
  if (turn) {
    state.turn = 0;
    choose(turn);
  }
  if (page !== null && agent().lanes[Number(page)]) openLane(Number(page));
  addEventListener("hashchange", () => {
    const [other, at, shown] = asked();
    if (other !== state.agent) change({ agent: other, turn: at });
    choose(at);
    if (shown !== null && agent().lanes[Number(shown)]) openLane(Number(shown));
  });
  document.documentElement.dataset.ready = "yes";
}

start();
