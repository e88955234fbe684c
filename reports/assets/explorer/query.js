/* A question to the tasks of a dataset: the rows that it finds, the same in SQL, and how right a run is on them. */
"use strict";

(() => {
  /** Column of the dataset for each filter. */
  deskmill.FILTERS = {
    category: "category",
    application: "target_application",
    split: "split",
    style: "style",
    naming: "naming",
    shape: "shape",
    valid: "valid",
  };
  const OUTCOMES = {
    right: "p.is_correct",
    wrong: "not p.is_correct and p.status = 'answered'",
    "no answer": "not p.is_correct and p.status <> 'answered'",
    "not applicable": "p.status = 'not_applicable'",
    "not asked": "p.task_id is null",
  };

  /** The filters that a state sets, as [column, value] pairs; a graph has no category and no target, which is "none" in a state. */
  const filters = (dataset, state) =>
    Object.entries(deskmill.FILTERS)
      .filter(([name]) => state[name])
      .map(([name, column]) => [column, state[name] === "none" && dataset.columns[column].values.includes(null) ? null : state[name]]);

  /** Return the rows that pass every filter of a state and contain every term; `outcomes` are those of the state's run, if any. */
  deskmill.matching = (dataset, outcomes, state) => {
    const wanted = filters(dataset, state).map(([column, value]) => [dataset.columns[column].codes, dataset.columns[column].values.indexOf(value)]);
    const terms = deskmill.terms(state.q);
    if (terms.length) wanted.push([dataset.termCounts(terms), terms.length]);
    const rows = new Uint32Array(dataset.size);
    let number = 0;
    next: for (let row = 0; row < rows.length; row += 1) {
      for (const [codes, code] of wanted) if (codes[row] !== code) continue next;
      if (outcomes && state.outcome && outcomes.outcome(row) !== state.outcome) continue;
      rows[number] = row;
      number += 1;
    }
    return rows.subarray(0, number);
  };

  /** The same question for `deskmill sql`. */
  deskmill.sql = (dataset, run, state) => {
    const { quoted } = deskmill;
    const asked = [`t.dataset_id = ${quoted(dataset.description.dataset_id)}`];
    for (const [column, value] of filters(dataset, state)) {
      if (column === "valid") asked.push(`len(t.valid_applications) = ${value}`);
      else asked.push(value === null ? `t.${column} is null` : `t.${column} = ${quoted(value)}`);
    }
    for (const term of deskmill.terms(state.q)) {
      asked.push(`contains(strip_accents(lower(regexp_replace(t.text, '\\s+', ' ', 'g'))), ${quoted(term)})`);
    }
    if (run && state.outcome) asked.push(OUTCOMES[state.outcome]);
    const answers = run ? `\nleft join predictions p on p.run_id = ${quoted(run.run_id)} and p.task_id = t.task_id` : "";
    const shown = run ? "count(*) as tasks, avg(p.is_correct::integer) as accuracy" : "count(*) as tasks";
    return `select ${shown}\nfrom user_tasks t${answers}\nwhere ${asked.join("\n  and ")}`;
  };

  /** The share of the scored rows that a run has right, with its interval; null where none was scored. */
  deskmill.accuracy = (rows, outcomes, compositions) => {
    const clusters = new Map();
    for (const row of rows) {
      const outcome = outcomes.outcome(row);
      if (outcome === "not applicable" || outcome === "not asked") continue;
      const cluster = clusters.get(compositions[row]) ?? [0, 0];
      cluster[0] += 1;
      cluster[1] += outcome === "right" ? 1 : 0;
      clusters.set(compositions[row], cluster);
    }
    return clusters.size ? deskmill.share([...clusters.values()]) : null;
  };
})();
