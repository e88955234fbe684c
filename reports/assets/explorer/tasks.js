/* The search page: terms and filters over all tasks of a dataset, fifty of what is found at a time, the view in the address. */
"use strict";

(() => {
  const { element, count, FILTERS } = deskmill;
  const PAGE = 50;
  const place = document.getElementById("explorer");
  const control = (name) => document.getElementById(`tasks-${name}`);
  const controls = ["dataset", "q", ...Object.keys(FILTERS), "run", "outcome"];
  let datasets,
    dataset,
    run,
    outcomes,
    compositions,
    found = new Uint32Array(),
    page = 0,
    loading = null,
    whole = false,
    turn = 0;

  const state = () => Object.fromEntries([...controls.map((name) => [name, control(name).value]), ["page", page ? page + 1 : ""]]);

  /** Options of a select: [value, words] pairs after a first one that filters nothing. */
  const offer = (name, first, pairs) => {
    const kept = control(name).value;
    control(name).replaceChildren(
      ...(first === null ? [] : [["", first]]).concat(pairs).map(([value, words]) => element("option", { value }, words)),
    );
    if ([...control(name).options].some((option) => option.value === kept)) control(name).value = kept;
  };

  const wordsOf = (name, value) => (value === null ? "none (graphs)" : name === "application" ? deskmill.title(value) : value);

  /** Fill the filters with the values of the dataset; applications with those of the chosen category. */
  const offerFilters = () => {
    for (const [name, column] of Object.entries(FILTERS)) {
      let { values } = dataset.columns[column];
      if (name === "application" && control("category").value) {
        values = values.filter((value) => (value === null ? "none" : deskmill.applications.get(value)?.category) === control("category").value);
      }
      const pairs = values.map((value) => [value ?? "none", wordsOf(name, value)]);
      offer(
        name,
        "any",
        pairs.sort((one, other) => one[1].localeCompare(other[1], "en", { numeric: true })),
      );
    }
    offer(
      "run",
      "none",
      dataset.description.runs.map((each) => [each.run_id, deskmill.runName(each)]),
    );
  };

  const openDataset = async () => {
    const description = datasets.find((each) => each.dataset_id === control("dataset").value);
    if (dataset?.description === description) return;
    dataset = await deskmill.Dataset.open(description);
    loading = null;
    whole = false;
    control("loaded").textContent = "";
    offerFilters();
  };

  const openRun = async () => {
    const chosen = dataset.description.runs.find((each) => each.run_id === control("run").value);
    [run, outcomes, compositions] = chosen ? await Promise.all([chosen, dataset.outcomes(chosen), dataset.compositions()]) : [];
    control("outcome").disabled = !run;
    if (!run) control("outcome").value = "";
  };

  /** Load all texts, once, and look again as each piece comes. */
  const loadTexts = () => {
    const opened = dataset;
    loading ??= dataset.allTexts((loaded) => {
      if (opened !== dataset) return;
      whole = loaded === dataset.size;
      control("loaded").textContent = whole ? "" : `Searched ${loaded.toLocaleString("en")} of ${count(dataset.size, "text")} so far.`;
      find();
    });
  };

  /** What the chosen run makes of what was found. */
  const accuracyWords = () => {
    if (!run || !found.length) return "";
    const share = deskmill.accuracy(found, outcomes, compositions);
    return share ? `Of ${count(share.rows, "scored task")}, right: ${deskmill.shareWords(share)}.` : "This run scored none of them.";
  };

  const noteWords = () => {
    if (!dataset.description.runs.length) return "There are no runs over this dataset yet, so there are no answers to filter by.";
    return run ? deskmill.runNote(run) : "";
  };

  const marked = (text, terms) => {
    const parts = [];
    let at = 0;
    for (const [start, end] of deskmill.marks(text, terms)) {
      parts.push(text.slice(at, start), element("mark", {}, text.slice(start, end)));
      at = end;
    }
    return [...parts, text.slice(at)];
  };

  const answerCells = (row) => {
    const [outcome, answer] = [outcomes.outcome(row), outcomes.answer(row)];
    return [
      element("td", { "data-label": "answer" }, answer === null ? "" : deskmill.title(answer)),
      element("td", { class: `outcome ${outcome.replace(" ", "-")}`, "data-label": "outcome" }, outcome),
    ];
  };

  const line = ({ row, id, text }, terms) =>
    element(
      "tr",
      {},
      element("td", { class: "text" }, element("a", { href: `task.html#${id}&dataset=${dataset.description.dataset_id}` }, marked(text, terms))),
      element("td", { "data-label": "target" }, wordsOf("application", dataset.value("target_application", row))),
      run ? answerCells(row) : null,
      element("td", { class: "number", "data-label": "valid" }, dataset.value("valid", row)),
      ...["split", "style"].map((name) => element("td", { "data-label": name }, dataset.value(name, row))),
    );

  /** Show one page of what was found. */
  const show = async () => {
    const mine = ++turn;
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(page, pages - 1);
    const terms = deskmill.terms(control("q").value);
    control("count").textContent = found.length
      ? `${count(found.length, "task")} of ${dataset.size.toLocaleString("en")}.`
      : `No task of ${dataset.size.toLocaleString("en")} is so.`;
    control("accuracy").textContent = accuracyWords();
    control("note").textContent = noteWords();
    control("sql").textContent = deskmill.sql(dataset, run, state());
    control("page").textContent = `page ${(page + 1).toLocaleString("en")} of ${pages.toLocaleString("en")}`;
    for (const [name, target] of [
      ["first", 0],
      ["previous", page - 1],
      ["next", page + 1],
      ["last", pages - 1],
    ]) {
      control(name).disabled = target < 0 || target >= pages || target === page;
      control(name).dataset.page = target;
    }
    history.replaceState(null, "", deskmill.hash(state()));
    const lines = await dataset.texts(found.subarray(page * PAGE, (page + 1) * PAGE));
    if (mine !== turn) return; // a newer search has started
    control("rows").replaceChildren(...lines.map((each) => line(each, terms)));
    document.querySelectorAll("#tasks-table .of-run").forEach((head) => {
      head.hidden = !run;
    });
    if (whole || !terms.length) place.dataset.ready = "yes";
  };

  const find = () => {
    const started = performance.now();
    found = deskmill.matching(dataset, outcomes, state());
    place.dataset.milliseconds = performance.now() - started;
    return show();
  };

  /** A control was changed: load what it needs, then look from the first page. */
  const changed = async (name) => {
    page = 0;
    delete place.dataset.ready;
    if (name === "dataset") await openDataset();
    if (name === "category") offerFilters();
    if (name === "dataset" || name === "run") await openRun();
    if (deskmill.terms(control("q").value).length) loadTexts();
    return find();
  };

  /** Take the view from the address. */
  const readAddress = async () => {
    const wanted = deskmill.address();
    control("dataset").value = datasets.some((each) => each.dataset_id === wanted.dataset) ? wanted.dataset : datasets[0].dataset_id;
    await openDataset();
    control("category").value = wanted.category ?? "";
    offerFilters();
    for (const name of controls.slice(1)) control(name).value = wanted[name] ?? "";
    await openRun();
    control("outcome").value = wanted.outcome ?? "";
    control("filters").open ||= window.innerWidth > 640;
    const shown = Math.max(0, (Number.parseInt(wanted.page, 10) || 1) - 1);
    await changed("q");
    if (shown) {
      await loading;
      page = shown;
      await show();
    }
  };

  /** Arrows go through the results, a slash goes to the search. */
  const keys = (event) => {
    const links = [...control("rows").querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const inSearch = document.activeElement === control("q");
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) control("q").focus();
    else if (event.key === "ArrowDown" && (at >= 0 || inSearch)) links[at + 1]?.focus();
    else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] ?? control("q")).focus();
    else return;
    event.preventDefault();
  };

  const start = async () => {
    datasets = await deskmill.start(place);
    if (!datasets) return;
    offer(
      "dataset",
      null,
      datasets.map((each) => [each.dataset_id, `${each.title} (${each.dataset}, built ${each.built_at})`]),
    );
    for (const name of controls) control(name).addEventListener(name === "q" ? "input" : "change", () => changed(name));
    for (const name of ["first", "previous", "next", "last"])
      control(name).addEventListener("click", (event) => {
        page = Number(event.target.dataset.page);
        show();
      });
    control("clear").addEventListener("click", () => {
      for (const name of controls.slice(1)) control(name).value = "";
      offerFilters();
      changed("run");
    });
    document.addEventListener("keydown", keys);
    window.addEventListener("hashchange", readAddress);
    place.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    await readAddress();
  };

  start();
})();
