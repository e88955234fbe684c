// Counts the seconds in which the page was looked at, and lets digits choose what shows them as its key.
"use strict";
const seconds = document.querySelector("input[name=seconds]");
let shown = 0;
let since = document.hidden ? null : performance.now();

function count() {
  if (since !== null) shown += performance.now() - since;
  since = document.hidden ? null : performance.now();
}

document.addEventListener("visibilitychange", count);
seconds?.form.addEventListener("submit", () => {
  count();
  seconds.value = (shown / 1000).toFixed(1);
});
document.addEventListener("keydown", (event) => {
  const writes = event.target.matches("textarea, select, input:not([type=radio])");
  if (writes || event.ctrlKey || event.altKey || event.metaKey) return;
  const choice = document.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
  if (choice === null) return;
  choice.checked = true;
  choice.focus();
  event.preventDefault();
});
