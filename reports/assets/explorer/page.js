/* What every page needs: elements made of text (never of markup), figures in words, and the state of a view in its address. */
"use strict";

(() => {
  /** An element; attributes whose values are functions become listeners, null and false leave an attribute out. Children are nodes or text. */
  deskmill.element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(name, value);
      else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return made;
  };

  deskmill.count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  deskmill.percent = (share) => `${(100 * share).toFixed(1)}%`;
  deskmill.title = (application) => deskmill.applications.get(application)?.title ?? application;

  /** A run in a few words. */
  deskmill.runName = (run) => `${run.protocol}, ${run.model} (${run.split === "all" ? "all splits" : `${run.split} split`}, ${run.started_at})`;

  /** What a reader must know of a run before its figures: that it has no answers, that all of them failed, or that tasks are missing. */
  deskmill.runNote = (run) => {
    if (run.tasks === 0) return "This run has no answers yet.";
    const scored = run.tasks - run.not_applicable;
    const notes = [];
    if (scored > 0 && run.without_answer === scored)
      notes.push("No task of this run has an answer: every call failed or named no application of the list.");
    if (run.tasks < run.tasks_of_split) {
      notes.push(
        `This run has ${run.tasks.toLocaleString("en")} of the ${deskmill.count(run.tasks_of_split, "task")} of its split: ` +
          "it was limited, or is still in progress.",
      );
    }
    if (run.not_applicable > 0)
      notes.push(`${deskmill.count(run.not_applicable, "task")} had no valid application among its candidates and do not count.`);
    return notes.join(" ");
  };

  /** Text of a part of an address; as it stands where it is not well encoded. A plus is a plus, since notepad++ has two. */
  const plain = (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };

  /** The state that the address holds, as an object of text. */
  deskmill.address = () =>
    Object.fromEntries(
      location.hash
        .slice(1)
        .split("&")
        .filter(Boolean)
        .map((part) => {
          const [name, ...value] = part.split("=");
          return [plain(name), plain(value.join("="))];
        }),
    );

  /** An address that holds a state; what is empty is left out. */
  deskmill.hash = (state) => {
    const parts = Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    return `#${parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
  };

  /** Text for SQL. */
  deskmill.quoted = (text) => `'${text.replaceAll("'", "''")}'`;

  /** Load the index; return the datasets, or null and a message in `place` if there are none. */
  deskmill.start = async (place) => {
    const index = await deskmill.load("index");
    deskmill.applications = new Map((index?.applications ?? []).map((row) => [row.application, row]));
    if (index?.datasets.length) return index.datasets;
    place.replaceChildren(
      deskmill.element(
        "p",
        { class: "nothing" },
        "There is no dataset yet. Make one with ",
        deskmill.element("code", {}, "deskmill build demo"),
        ", then write these pages again with ",
        deskmill.element("code", {}, "deskmill report"),
        ".",
      ),
    );
    place.dataset.ready = "yes";
    return null;
  };
})();
