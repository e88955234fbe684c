// What all pages share: asking the server, and showing a live screen.
import RFB from "/novnc/core/rfb.js";

async function told(answer) {
  return answer.headers.get("Content-Type").startsWith("application/json") ? answer.json() : { error: await answer.text() };
}

export async function ask(path) {
  const answer = await fetch(path);
  const found = await told(answer);
  if (!answer.ok) throw new Error(found.error);
  return found;
}

export async function post(path, body = {}) {
  return told(await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }));
}

// A connection that counts what goes out by it: when the machine goes back, the server waits for all of that.
function counting(url) {
  const channel = new WebSocket(url);
  const send = channel.send.bind(channel);
  channel.sent = 0;
  channel.send = (part) => {
    channel.sent += part.byteLength;
    send(part);
  };
  return channel;
}

export function show(place, run, name, label) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const channel = counting(`${scheme}://${location.host}/screen/${run}/${name}`);
  const viewer = new RFB(place, channel);
  viewer.sent = () => channel.sent;
  viewer.viewOnly = true;
  viewer.scaleViewport = true;
  viewer.background = "black";
  const canvas = place.querySelector("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  return viewer;
}

export const PHASES = {
  starting: "The machine starts.",
  agent: "The agent works.",
  asks: "The agent asks for help and waits.",
  person: "A person has the machine.",
  silent: "The episode does not answer.",
  ended: "The episode has ended.",
  gone: "The episode is over.",
};
