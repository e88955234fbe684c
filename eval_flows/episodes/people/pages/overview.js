// The wall: every episode that is played, with its live screen.
import { call, offerNotifications } from "/pages/calling.js";
import { PHASES, ask, show } from "/pages/people.js";

const wall = document.getElementById("wall");
const said = document.getElementById("said");
const cards = new Map();
const title = document.title;

function card(state) {
  const item = document.createElement("li");
  const place = document.createElement("div");
  place.className = "screen";
  const link = document.createElement("a");
  link.href = `/episode/${state.run}/${state.name}`;
  link.textContent = state.instruction;
  const phase = document.createElement("p");
  item.append(place, link, phase);
  wall.append(item);
  return { item, place, phase, viewer: null };
}

function lookAt(one, state) {
  if (one.viewer || state.phase === "starting" || state.phase === "ended") return;
  one.viewer = show(one.place, state.run, state.name, `Screen of: ${state.instruction}`);
  one.viewer.focusOnClick = false;
  one.viewer.addEventListener("disconnect", () => (one.viewer = null));
}

async function look() {
  const states = await ask("/api/episodes");
  const seen = new Set();
  for (const state of states) {
    const key = `${state.run}/${state.name}`;
    seen.add(key);
    if (!cards.has(key)) cards.set(key, card(state));
    const one = cards.get(key);
    const { phase } = one;
    lookAt(one, state);
    phase.textContent = `${state.agent}, step ${state.step} of ${state.step_budget}. ${PHASES[state.phase]}`;
    phase.className = state.phase === "asks" ? "warn" : "faint";
  }
  for (const [key, one] of cards) {
    if (seen.has(key)) continue;
    if (one.viewer) one.viewer.disconnect();
    one.item.remove();
    cards.delete(key);
  }
  const questions = new Map(states.filter((state) => state.phase === "asks").map((state) => [`${state.run}/${state.name}`, state.asked.request]));
  const asking = questions.size ? `, ${questions.size} ask for help` : "";
  said.textContent = states.length ? `${states.length} played now${asking}.` : "No episode with people is played now.";
  call(questions, title, title);
}

offerNotifications(document.getElementById("notify"));

async function run() {
  try {
    for (;;) {
      await look();
      await new Promise((then) => setTimeout(then, 1000));
    }
  } catch (error) {
    said.textContent = error.message;
  }
}
run();
