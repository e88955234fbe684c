/* What runs answered to a task, a card for each run. */
"use strict";

(() => {
  const { element, title } = deskmill;
  const { described, section, applications, messages } = deskmill.parts;

  const graphAnswer = ({ predicted_applications: nodes, predicted_edges: edges }) => {
    if (!edges?.length) return applications(nodes);
    const order = edges.map(([source, target]) => `${source} before ${target}`).join(", ");
    return `${nodes.map((name, number) => `${number + 1} ${title(name)}`).join(", ")}; ${order}`;
  };

  const latency = ({ latency_ms: time, calls }) =>
    time > 0 ? `${time.toLocaleString("en")} ms` : calls?.length ? "none: the answer came by batch" : "under 0.001 ms";

  const answerOf = (run, answer, prompts) => {
    const right = answer.is_correct === null ? "not applicable" : answer.is_correct ? "right" : answer.status === "answered" ? "wrong" : "no answer";
    const said = answer.predicted_applications?.length
      ? graphAnswer(answer)
      : answer.predicted_application === null
        ? "—"
        : title(answer.predicted_application);
    return element(
      "article",
      { class: "answer" },
      element("h3", {}, `${run.protocol}, ${run.model} `, element("span", { class: `outcome ${right.replace(" ", "-")}` }, right)),
      described([
        ["answer", said],
        ["status", answer.status],
        [run.asks_model ? "said" : "because of", answer.said === undefined || answer.said === null ? null : run.asks_model ? element("q", {}, answer.said) : answer.said],
        [
          "cards shown",
          answer.retrieved?.length
            ? [
                applications(answer.retrieved),
                answer.cards > answer.retrieved.length ? ` and ${answer.cards - answer.retrieved.length} more` : "",
              ].flat()
            : null,
        ],
        [
          "scores",
          answer.node_f1 === null || answer.node_f1 === undefined
            ? null
            : `nodes F1 ${answer.node_f1.toFixed(3)}, edges F1 ${answer.edge_f1 === null ? "—" : answer.edge_f1.toFixed(3)}`,
        ],
        ["tokens", answer.calls?.length ? `${answer.input_tokens.toLocaleString("en")} in, ${answer.output_tokens.toLocaleString("en")} out` : null],
        ["dollars", answer.calls?.length ? String(answer.cost_usd) : null],
        ["latency", latency(answer)],
        ["run", element("code", {}, run.run_id)],
      ]),
      (answer.calls ?? []).map((call) => messages(prompts, call)),
    );
  };

  /** Return the section of the answers to a task: `given` pairs each run with its answer. */
  deskmill.answers = (dataset, given, prompts) => {
    const runs = dataset.runs.length
      ? `${given.length.toLocaleString("en")} of ${deskmill.count(dataset.runs.length, "run")} answered this task or tried to answer it.`
      : "There are no runs over this dataset yet.";
    return section(
      "answers",
      "Answers",
      element("p", { class: "soft" }, runs),
      element(
        "div",
        { class: "answers" },
        given.map(([run, answer]) => answerOf(run, answer, prompts)),
      ),
    );
  };
})();
