/* What a task was made of: its text, composition, arguments, graph and paraphrase, a section each. */
"use strict";

(() => {
  const { element, title } = deskmill;
  const { described, section, table, applications, messages } = deskmill.parts;

  const text = (task) =>
    section(
      "text",
      "Text",
      element("blockquote", { id: "task-text" }, task.text),
      described([
        ["masked", element("span", { class: "masked" }, task.masked_text)],
        ["target", task.target_application === null ? "none: a graph has a target at each node" : title(task.target_application)],
        ["valid applications", task.valid_applications.length ? applications(task.valid_applications) : "at the nodes of the graph"],
        ["category", task.category],
        ["split", task.split],
        ["shape", task.shape],
        ["style", task.style],
        ["naming", task.naming],
        ["says the goal", task.says_goal ? "yes" : "no"],
        ["mistyped word", task.has_typo ? "yes" : "no"],
        ["locale", task.locale],
        ["row seed", element("code", {}, task.row_seed)],
      ]),
    );

  const steps = (task, atomicTasks) => {
    if (!task.atomic_tasks.length)
      return section(
        "composition",
        "Composition",
        element("p", {}, "This task was imported, so its steps are not known. Its target is the one that its row names, or else the first of its valid applications."),
      );
    const dropped = new Set(task.dropped_steps);
    const kind = `${task.workflow ? `Workflow ${task.workflow}` : `Kind: ${task.composition_kind}`}; composition ${task.composition_id}`;
    return section(
      "composition",
      "Composition",
      element(
        "p",
        { class: "soft" },
        `${kind}. Drop-out rate ${task.drop_out_rate.toFixed(2)}: the text leaves out ${dropped.size} of ${deskmill.count(task.atomic_tasks.length, "step")}.`,
      ),
      table(
        "Atomic tasks in their order",
        ["step", "atomic task", "title", "capability", "in the text"],
        task.atomic_tasks.map((id, number) => [
          String(number + 1),
          element("code", {}, id),
          atomicTasks[id]?.title ?? "not in the catalog now",
          atomicTasks[id]?.capability ?? "",
          dropped.has(number + 1) ? element("b", { class: "dropped" }, "dropped") : "kept",
        ]),
      ),
    );
  };

  const values = (task) =>
    section(
      "arguments",
      "Arguments",
      task.arguments.length
        ? table(
            "Values that fill the text and the dropped steps",
            ["name", "generator", "value"],
            task.arguments.map(([name, generator, value]) => [name, generator, value]),
          )
        : element("p", {}, "This composition has no arguments."),
    );

  const graph = (task) =>
    task.nodes &&
    section(
      "graph",
      "Graph",
      table(
        "Nodes, each with its own valid applications",
        ["node", "target", "valid applications"],
        task.nodes.map((node, number) => [String(number + 1), title(node.target_application), applications(node.valid_applications)]),
      ),
      element(
        "p",
        {},
        task.edges.length
          ? `Order of the nodes: ${task.edges.map(([source, target]) => `${source} before ${target}`).join(", ")}.`
          : "No node must come before another.",
      ),
    );

  const paraphrase = (task, prompts) =>
    section(
      "paraphrase",
      "Paraphrase",
      task.paraphrase_status === null
        ? element("p", {}, "No paraphrase was asked for.")
        : described([
            ["status", task.paraphrase_status],
            ["text before", task.narrated_text ?? (task.paraphrase_status === "accepted" ? "" : "the text stayed as narrated")],
            ["model", task.paraphrase_model],
            ["prompt", task.paraphrase_prompt],
            ["call", task.paraphrase_call],
            ["messages", task.paraphrase_call && messages(prompts, task.paraphrase_call)],
          ]),
    );

  /** Sections of a task in their order; prompts are those of its shard, or null. */
  deskmill.lineage = (task, atomicTasks, prompts) =>
    [text(task), steps(task, atomicTasks), values(task), graph(task), paraphrase(task, prompts)].filter(Boolean);
})();
