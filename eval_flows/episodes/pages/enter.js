// Gives the token of the link to the server, takes it out of the address, and goes to the first page.
"use strict";
async function enter() {
  const token = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", "/enter");
  const answer = await fetch("/enter", { method: "POST", body: token });
  if (answer.ok) location.replace("/");
  else document.querySelector("#told").textContent = await answer.text();
}

enter();
