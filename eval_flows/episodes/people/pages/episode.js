// One episode: its live screen, the agent's words and actions, and what a person does: take over, hand back, help, demonstrate.
import { call, offerNotifications } from "/pages/calling.js";
import { PHASES, ask, post, show } from "/pages/people.js";

const [, , run, name] = location.pathname.split("/");
const path = `/api/episodes/${run}/${name}`;
const at = (id) => document.getElementById(id);
let viewer = null;
let state = null;
let isHolder = false;
let shown = "";

function write(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text; // what has not changed is not read out again
}

function hold(holds) {
  if (holds === isHolder) return;
  isHolder = holds;
  if (viewer) viewer.viewOnly = !holds;
  at("screen").classList.toggle("held", holds);
  if (holds && viewer) viewer.focus();
}

function listSteps() {
  const now = JSON.stringify(state.steps);
  if (now === shown) return;
  shown = now;
  at("steps").replaceChildren(
    ...state.steps.map((step) => {
      const item = document.createElement("li");
      item.value = step.number;
      const actions = document.createElement("code");
      actions.textContent = step.actions.join("; ");
      const feedback = document.createElement("span");
      feedback.className = "warn";
      feedback.textContent = step.feedback ? ` ${step.feedback}` : "";
      item.append(step.words ? `${step.words} ` : "", actions, feedback);
      return item;
    }),
  );
  at("steps").scrollTop = at("steps").scrollHeight;
}

function phaseWords() {
  if (state.recalled === "you" && state.holder !== "you") return `Your time is up: the machine went back. ${PHASES[state.phase]}`;
  if (state.phase !== "person") return PHASES[state.phase];
  if (state.holder === "you") return "You have the machine.";
  return state.holder ? `${state.person} has the machine.` : "The machine is ready for you.";
}

// A clock of its own, which no screen reader reads out at every second.
function timerWords() {
  if (state.holder) return `${Math.round(state.held_seconds)} s with ${state.holder === "you" ? "you" : state.person}`;
  return state.asked ? `The agent goes on alone in ${Math.round(state.asked.seconds_left)} s.` : "";
}

function draw() {
  const { asked, may_act: mayAct, is_demonstration: demonstrates } = state;
  write("goal", state.instruction);
  write("about", `${state.suite}, level ${state.level}, ${state.application}. Agent: ${state.agent}.`);
  write("phase", state.wanted === "you" ? "You get the machine when the agent has ended its step." : phaseWords());
  write("timer", timerWords());
  document.body.dataset.phase = state.phase;
  hold(state.holder === "you" && state.recalled !== "you");
  at("naming").hidden = !mayAct || state.you !== "";
  at("asked").hidden = !asked;
  if (asked) {
    write("request", asked.request);
    write("reason", asked.reason);
  }
  call(new Map(asked && state.phase === "asks" ? [[name, asked.request]] : []), "Deskmill: an episode", "The agent asks for help");
  write("take", demonstrates ? "Start" : asked ? "Help" : "Take over");
  at("take").disabled = !mayAct || !state.you || isHolder || state.holder !== "" || state.wanted !== "";
  at("back").disabled = !(isHolder || (mayAct && state.you && asked && !state.holder));
  write("back", asked && !isHolder ? "Answer in words alone" : "Hand back");
  at("handing").hidden = demonstrates;
  at("working").hidden = demonstrates;
  at("notify").hidden = demonstrates;
  for (const id of ["done", "fail"]) at(id).hidden = !demonstrates || !isHolder;
  at("budget").max = state.step_budget;
  at("budget").value = Math.min(state.step, state.step_budget);
  write("budget_words", `Step ${state.step} of ${state.step_budget}${state.cost_usd ? `, $${state.cost_usd.toFixed(4)} spent` : ""}`);
  listSteps();
}

async function showResult(result) {
  document.body.dataset.phase = "gone";
  hold(false);
  write("phase", PHASES.gone);
  for (const id of ["asked", "timer", "naming", "handing", "done", "fail", "take", "notify"]) at(id).hidden = true;
  if (!result) return;
  write("goal", result.instruction);
  const place = at("result");
  place.hidden = false;
  const head = document.createElement("h2");
  head.className = result.is_success ? "good" : "warn";
  head.textContent = `${result.is_success ? "Success" : "No success"}: reward ${result.reward}, ${result.steps} steps in ${Math.round(result.seconds - result.ready_seconds)} s`;
  const list = document.createElement("ul");
  for (const line of [
    ...result.checks.map((one) => `${one.holds ? "holds" : "does not hold"}: ${one.check}`),
    ...(result.side_effects || []).map((one) => `damage: ${one}`),
  ]) {
    const item = document.createElement("li");
    item.textContent = line;
    list.append(item);
  }
  place.replaceChildren(head, list);
  const next = (await ask("/api/episodes")).find((one) => one.is_demonstration);
  if (next) {
    const link = document.createElement("a");
    link.href = `/episode/${next.run}/${next.name}`;
    link.textContent = "Next task";
    place.append(link);
  }
}

async function look() {
  const found = await ask(path);
  if (found.phase === "gone") {
    await showResult(found.result);
    return found.result !== null;
  }
  state = found;
  if (!viewer && state.phase !== "starting") {
    viewer = show(at("screen"), run, name, "Screen of the machine");
    viewer.addEventListener("disconnect", () => (viewer = null));
    viewer.addEventListener("connect", () => (viewer.viewOnly = !isHolder));
  }
  draw();
  return false;
}

async function does(deed, body) {
  write("said", "");
  const answer = await post(`${path}/${deed}`, { ...body, sent: viewer ? viewer.sent() : 0 });
  if (answer.error) write("said", answer.error);
  if (answer.taken === "held") write("said", "Another person has the machine.");
  if (answer.taken === "late") write("said", "The time for people in this episode is over.");
  if (answer.taken === "taken") hold(true);
  if (answer.taken === "soon") await lookUntilMine();
  return answer;
}

// Looks often while a person waits for the machine: they are to have it as soon as it is theirs.
async function lookUntilMine() {
  do {
    await new Promise((then) => setTimeout(then, 40));
    if (await look()) return;
  } while (state.wanted === "you");
}

async function handBack() {
  if (!isHolder) await does("take");
  await does("back", { note: at("note").value });
  at("note").value = "";
  hold(false);
}

function leaveMachine(event) {
  if (!(event.ctrlKey && event.altKey && event.code === "KeyM")) return;
  event.preventDefault();
  event.stopPropagation();
  if (viewer) for (const [key, code] of [[0xffe3, "ControlLeft"], [0xffe9, "AltLeft"]]) viewer.sendKey(key, code, false);
  at("note").focus();
}

async function giveName(event) {
  event.preventDefault();
  const answer = await post("/api/name", { name: at("name").value });
  write("said", answer.error || "");
  if (answer.error) return;
  await look();
  at("take").focus();
}

at("naming").addEventListener("submit", giveName);
at("take").addEventListener("click", () => does("take"));
at("back").addEventListener("click", handBack);
at("done").addEventListener("click", () => does("done"));
at("fail").addEventListener("click", () => does("fail"));
offerNotifications(at("notify"));
window.addEventListener("keydown", leaveMachine, true);
window.addEventListener("keydown", (event) => {
  const isFree = event.target === document.body || event.target.tagName === "A" || event.target.tagName === "BUTTON" || event.target.tagName === "OL";
  if (isFree && !isHolder && event.key.toLowerCase() === "t" && !event.ctrlKey && !event.altKey && !at("take").disabled) does("take");
});

async function watch() {
  try {
    while (!(await look())) await new Promise((then) => setTimeout(then, 400));
  } catch (error) {
    write("said", error.message);
  }
}
watch();
