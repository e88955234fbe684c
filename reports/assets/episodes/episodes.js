/* The contact sheet's filters, which stand in the address, and words in place of pictures that are gone. */
"use strict";

(() => {
  const gone = (image) => {
    const words = document.createElement("span");
    words.className = "gone";
    words.textContent = "The picture is gone.";
    image.closest(".screen").replaceWith(words);
  };
  document.addEventListener("error", (event) => event.target.matches?.(".screen img") && gone(event.target), true);
  for (const image of document.querySelectorAll(".screen img")) if (image.complete && !image.naturalWidth) gone(image);

  const form = document.getElementById("sheet-filters");
  if (!form) return;
  const selects = [...form.querySelectorAll("select")];
  const cards = [...document.querySelectorAll(".sheet > li")];

  /** Show the cards that every chosen filter lets pass, and say how many they are. */
  const show = () => {
    const chosen = selects.filter((select) => select.value);
    for (const card of cards) card.hidden = chosen.some((select) => card.dataset[select.name] !== select.value);
    const shown = cards.filter((card) => !card.hidden).length;
    document.getElementById("sheet-count").textContent = `${shown} of ${cards.length} shown`;
  };
  const read = () => {
    const state = new URLSearchParams(location.hash.slice(1));
    for (const select of selects) {
      select.value = state.get(select.name) ?? "";
      if (select.selectedIndex < 0) select.value = "";
    }
    show();
  };
  form.addEventListener("change", () => {
    const state = new URLSearchParams(selects.filter((select) => select.value).map((select) => [select.name, select.value]));
    history.replaceState(null, "", `#${state.size ? state : "episodes"}`);
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", read);
  form.hidden = false;
  read();
})();
