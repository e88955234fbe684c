/* The confusion page: categories of a run, or of all language models together, down to applications and the tasks behind a cell. */
"use strict";

(() => {
  const { element, title } = deskmill;
  const NO_ANSWER = "no answer";
  const POOLED = "models-";
  const PAGE = 20;
  const MANY = 3; // from so many notes on, one sentence stands for all
  const part = (name) => document.getElementById(`confusion-${name}`);
  const place = document.getElementById("explorer");
  const opened = new Map(); // datasets by id
  const counted = new Map(); // answers by choice
  let choices;

  const isApplication = (name) => deskmill.applications.has(name);
  const categoryOf = (name) => (isApplication(name) ? deskmill.applications.get(name).category : name);
  const name = (key) => (isApplication(key) ? title(key) : key);

  /** What can be chosen: each run that chooses applications, and the language models of a dataset together. */
  const choicesOf = (dataset) => {
    const runs = dataset.runs.filter((run) => run.answer_kind !== "graph");
    const models = runs.filter((run) => run.asks_model);
    const single = runs.map((run) => ({ id: run.run_id, words: deskmill.runName(run), runs: [run], dataset }));
    return models.length > 1
      ? [...single, { id: `${POOLED}${dataset.dataset_id}`, words: `all ${models.length} runs of language models, pooled`, runs: models, dataset }]
      : single;
  };

  /**
   * The answers of a choice: its dataset, its cross-tabulated categories, and each(visit), which calls
   * visit(target application, target category, counted application, counted category, composition, row, run).
   */
  const answersOf = async (choice) => {
    const { dataset_id: id } = choice.dataset;
    if (!opened.has(id)) opened.set(id, await deskmill.Dataset.open(choice.dataset));
    const dataset = opened.get(id);
    const [compositions, ...outcomes] = await Promise.all([dataset.compositions(), ...choice.runs.map((run) => dataset.outcomes(run))]);
    const each = (visit) =>
      choice.runs.forEach((run, number) => {
        for (let row = 0; row < dataset.size; row += 1) {
          const became = outcomes[number].outcome(row);
          if (became === "not asked" || became === "not applicable") continue;
          const target = dataset.value("target_application", row),
            category = dataset.value("category", row);
          const counted = became === "right" ? target : (outcomes[number].answer(row) ?? NO_ANSWER);
          visit(target, category, counted, became === "right" ? category : categoryOf(counted), compositions[row], row, run);
        }
      });
    const crossed = deskmill.crossed((visit) => each((target, category, counted, answered, cluster) => visit(category, answered, cluster)));
    return { dataset, each, crossed };
  };

  const link = (state) => (target, answer) => deskmill.hash({ run: state.run, target, answer });

  const last = (names) => [...names].sort((one, other) => (one === NO_ANSWER) - (other === NO_ANSWER) || name(one).localeCompare(name(other), "en"));

  const showCategories = (state, crossed) => {
    const targets = last(crossed.keys());
    const answers = last(new Set([...targets, ...[...crossed.values()].flatMap((cells) => [...cells.keys()]), NO_ANSWER]));
    const selected = (target, answer) => target === categoryOf(state.target) && answer === categoryOf(state.answer);
    part("categories").replaceChildren(
      deskmill.matrixTable(
        "A cell shows the share of the target category's answers, and their number below it. Point at it or choose it for the 95% interval.",
        targets,
        answers,
        crossed,
        { name, href: link(state), selected },
      ),
    );
  };

  /** Applications of the target's category against those of the answer's; a share is of all answers to its target. */
  const showApplications = (state, each) => {
    if (!state.target || !state.answer) return part("applications").replaceChildren();
    const [from, to] = [categoryOf(state.target), categoryOf(state.answer)];
    const within = new Set();
    const crossed = deskmill.crossed((visit) =>
      each((target, category, counted, answered, cluster) => {
        if (category !== from) return;
        visit(target, counted, cluster);
        if (answered === to) within.add(counted);
      }),
    );
    const targets = last([...crossed.keys()].filter((target) => [...crossed.get(target).keys()].some((answer) => within.has(answer))));
    const selected = (target, answer) => target === state.target && answer === state.answer;
    return part("applications").replaceChildren(
      element("h2", {}, `${from} answered by ${to}`),
      targets.length
        ? deskmill.matrixTable("By application; shares are of all answers to the target.", targets, last(within), crossed, {
            name,
            href: link(state),
            selected,
          })
        : element("p", {}, "There is no such answer."),
    );
  };

  const matches = (wanted, application, category) => !wanted || wanted === (isApplication(wanted) ? application : category);

  /** The tasks behind the chosen cell, twenty at a time. */
  const showTasks = (state, choice, { dataset, each }) => {
    if (!state.target && !state.answer) return part("tasks").replaceChildren();
    const found = [];
    const clusters = new Map();
    each((target, category, counted, answered, composition, row, run) => {
      if (!matches(state.target, target, category)) return;
      const cluster = clusters.get(composition) ?? clusters.set(composition, [0, 0]).get(composition);
      cluster[0] += 1;
      if (!matches(state.answer, counted, answered)) return;
      cluster[1] += 1;
      found.push({ row, run, target, counted });
    });
    const noun = choice.runs.length > 1 ? "answer" : "task";
    const isPooled = choice.runs.length > 1;
    const share = found.length
      ? `That is ${deskmill.shareWords(deskmill.share([...clusters.values()]))} of the ${noun}s with that target.`
      : "This run has no such task.";
    const words = ({ run, target, counted }) => `${name(target)} → ${name(counted)}${isPooled ? `, ${run.protocol}, ${run.model}` : ""}`;
    const list = element("ol", { class: "behind" });
    const more = element("button", { type: "button", click: () => add() }, "Show more");
    const add = async () => {
      const some = found.slice(list.childElementCount, list.childElementCount + PAGE);
      const lines = await dataset.texts(some.map(({ row }) => row));
      list.append(
        ...lines.map(({ id, text }, number) =>
          element(
            "li",
            {},
            element("a", { href: `task.html#${id}&dataset=${dataset.description.dataset_id}` }, text),
            " ",
            element("span", { class: "soft" }, words(some[number])),
          ),
        ),
      );
      more.hidden = list.childElementCount >= found.length;
    };
    const [target, answer] = [state.target ? name(state.target) : "any target", state.answer ? name(state.answer) : "any answer"];
    const heading = element("h2", {}, `${deskmill.count(found.length, noun)} behind ${target} → ${answer}`);
    part("tasks").replaceChildren(heading, element("p", { class: "soft" }, share), list, more);
    return add();
  };

  const sql = (state, choice) => {
    const level = (wanted) => (isApplication(wanted) ? "application" : "category");
    const ids = choice.runs.map((run) => deskmill.quoted(run.run_id)).join(", ");
    const ofRun = [
      "select target_category, answered_category, tasks, share, share_low, share_high",
      `from category_confusion\nwhere run_id = ${ids}\norder by target_category, answered_category`,
    ];
    const pooled = [
      "select target_category, counted_category, count(*) as tasks,",
      "       count(*) / sum(count(*)) over (partition by target_category) as share",
      `from scored_predictions\nwhere run_id in (${ids})`,
      "group by target_category, counted_category\norder by target_category, counted_category",
    ];
    const asked = [
      state.target && `target_${level(state.target)} = ${deskmill.quoted(state.target)}`,
      state.answer && `counted_${state.answer === NO_ANSWER ? "application" : level(state.answer)} = ${deskmill.quoted(state.answer)}`,
    ].filter(Boolean);
    const tasks = [
      "\nselect run_id, task_id, text, target_application, counted_application",
      `from scored_predictions\nwhere run_id in (${ids}) and ${asked.join(" and ")}`,
    ];
    return [...(choice.runs.length > 1 ? pooled : ofRun), ...(asked.length ? tasks : [])].join("\n");
  };

  const show = async () => {
    delete place.dataset.ready;
    const focused = document.activeElement.closest?.("div[id], section[id]")?.id;
    const state = deskmill.address();
    state.run ||= choices[0].id;
    const choice = choices.find((each) => each.id === state.run);
    ["categories", "applications", "tasks", "sql"].forEach((each) => part(each).replaceChildren());
    part("run").value = choice ? choice.id : "";
    if (!choice) {
      part("note").textContent =
        `There is no run ${state.run} here: this page has the newest run of each dataset, protocol, model, split and kind of answer, ` +
        "except runs that answer with graphs.";
    } else {
      const notes = choice.runs
        .map((run) => [deskmill.runNote(run), run])
        .filter(([note]) => note)
        .map(([note, run]) => (choice.runs.length > 1 ? `${run.protocol}, ${run.model}: ${note}` : note));
      part("note").textContent =
        notes.length > MANY
          ? `${notes.length} of these ${choice.runs.length} runs have only a part of their tasks, or no answers: choose one of them to read which.`
          : notes.join("\n");
      if (!counted.has(choice)) counted.set(choice, await answersOf(choice));
      const answers = counted.get(choice);
      if (answers.crossed.size) showCategories(state, answers.crossed);
      showApplications(state, answers.each);
      await showTasks(state, choice, answers);
      part("sql").textContent = sql(state, choice);
      if (focused) document.querySelector(`#${focused} [aria-current]`)?.focus();
    }
    place.dataset.ready = "yes";
  };

  const start = async () => {
    const datasets = await deskmill.start(place);
    if (!datasets) return;
    choices = datasets.flatMap(choicesOf);
    if (!choices.length) {
      place.replaceChildren(
        element(
          "p",
          { class: "nothing" },
          "There are no runs yet. Make one with ",
          element("code", {}, `deskmill select ${datasets[0].dataset} --protocol random`),
          ", then write these pages again with ",
          element("code", {}, "deskmill report"),
          ".",
        ),
      );
      place.dataset.ready = "yes";
      return;
    }
    part("run").replaceChildren(
      ...datasets.map((dataset) =>
        element(
          "optgroup",
          { label: `${dataset.title} (${dataset.dataset}, built ${dataset.built_at})` },
          choices.filter((choice) => choice.dataset === dataset).map(({ id, words }) => element("option", { value: id }, words)),
        ),
      ),
    );
    part("run").addEventListener("change", (event) => {
      location.hash = deskmill.hash({ ...deskmill.address(), run: event.target.value });
    });
    window.addEventListener("hashchange", show);
    await show();
  };

  start();
})();
