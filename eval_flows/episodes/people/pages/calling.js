// Telling a person that an agent asks for help, on whichever page they are: by its title, a sound, and a notification of the desktop.
const called = new Set();

function ring(request) {
  const sound = new AudioContext();
  const tone = sound.createOscillator();
  tone.connect(sound.destination);
  tone.start();
  tone.stop(sound.currentTime + 0.25);
  tone.onended = () => sound.close();
  if ("Notification" in window && Notification.permission === "granted") new Notification("Deskmill: the agent asks for help", { body: request });
}

// Calls once for each question. `questions` has a key for each episode that asks now, with its request.
export function call(questions, title, titleOfCall) {
  document.title = questions.size ? `(!) ${titleOfCall}` : title;
  for (const key of called) if (!questions.has(key)) called.delete(key);
  for (const [key, request] of questions) {
    if (called.has(key)) continue;
    called.add(key);
    ring(request);
  }
}

export function offerNotifications(button) {
  button.addEventListener("click", () => "Notification" in window && Notification.requestPermission());
}
