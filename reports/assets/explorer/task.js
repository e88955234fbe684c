/* The page of one task: finds it by the id in the address, and shows its lineage and the answers to it. */
"use strict";

(() => {
  const { element } = deskmill;
  const place = document.getElementById("explorer");

  const shardOf = (id) => id.slice(0, 2);

  /** The row of an id among the rows of a script file, as an object; undefined where it has none. */
  const rowOf = (file, id) => {
    const row = file?.rows[id];
    return row && Object.fromEntries(file.columns.map((name, number) => [name, row[number]]));
  };

  /** The task and its dataset: of the wanted one, or of the newest that has it. */
  const findTask = async (datasets, id, wanted) => {
    const shard = shardOf(id);
    for (const dataset of datasets.filter((each) => each.shards.includes(shard) && (!wanted || each.dataset_id === wanted))) {
      const task = rowOf(await deskmill.load(`tasks/${dataset.dataset_id}/${shard}`), id);
      if (task) return { task, dataset };
    }
    return {};
  };

  /** Each run that has an answer to the task, with it; they lie in the script file of the task. */
  const answersTo = (dataset, id) =>
    dataset.runs
      .map((run) => [run, rowOf(deskmill.held(`tasks/${dataset.dataset_id}/${shardOf(id)}/${run.run_id}`), id)])
      .filter(([, answer]) => answer);

  const query = (dataset, id) => {
    const where = `dataset_id = ${deskmill.quoted(dataset.dataset_id)} and task_id = ${deskmill.quoted(id)}`;
    return element(
      "details",
      {},
      element("summary", {}, "The same by ", element("code", {}, "deskmill sql")),
      element(
        "pre",
        {},
        [
          `select * from user_tasks where ${where}`,
          "",
          "select protocol, model, predictions.*",
          "from predictions join runs using (run_id)",
          `where ${where}`,
        ].join("\n"),
      ),
    );
  };

  const search = (words) => element("a", { href: "tasks.html" }, words);

  const show = async () => {
    delete place.dataset.ready;
    const datasets = await deskmill.start(place);
    if (!datasets) return;
    const address = deskmill.address();
    const id = Object.keys(address)[0] ?? "";
    const { task, dataset } = id ? await findTask(datasets, id, address.dataset) : {};
    if (!task) {
      place.replaceChildren(
        element(
          "p",
          { class: "nothing" },
          id
            ? `There is no task ${id} in ${address.dataset ? `the dataset ${address.dataset}` : "the datasets of this report"}. `
            : "No task was asked for. ",
          search("Search the tasks"),
          ".",
        ),
      );
    } else {
      const [atomicTasks, prompts] = await Promise.all([
        deskmill.load("atomic_tasks"),
        dataset.prompted_shards.includes(shardOf(id)) ? deskmill.load(`prompts/${dataset.dataset_id}/${shardOf(id)}`) : null,
      ]);
      document.title = `Task ${id}`;
      place.replaceChildren(
        element(
          "p",
          { class: "soft" },
          "Task ",
          element("code", { id: "task-id" }, id),
          ` of ${dataset.title} (${dataset.dataset}). `,
          search("Search the tasks"),
          ".",
        ),
        ...deskmill.lineage(task, atomicTasks, prompts),
        deskmill.answers(dataset, answersTo(dataset, id), prompts),
        query(dataset, id),
      );
    }
    place.dataset.ready = "yes";
  };

  window.addEventListener("hashchange", show);
  show();
})();
