/* Confusion: cross-tabulation of targets and answers with intervals, and its table, each cell of which is a link. */
"use strict";

(() => {
  const { element } = deskmill;

  const at = (map, key, make) => {
    if (!map.has(key)) map.set(key, make());
    return map.get(key);
  };

  /**
   * Shares of answers for each target: Map of target to Map of answer to what deskmill.share gives.
   * `each(visit)` calls visit(target, answer, cluster) for every answer.
   */
  deskmill.crossed = (each) => {
    const targets = new Map();
    each((target, answer, cluster) => {
      const tally = at(
        at(targets, target, () => new Map()),
        cluster,
        () => new Map(),
      );
      tally.set(answer, (tally.get(answer) ?? 0) + 1);
    });
    return new Map(
      [...targets].map(([target, clusters]) => {
        const tallies = [...clusters.values()].map((tally) => [[...tally.values()].reduce((sum, hits) => sum + hits, 0), tally]);
        const answers = new Set(tallies.flatMap(([, tally]) => [...tally.keys()]));
        return [
          target,
          new Map([...answers].map((answer) => [answer, deskmill.share(tallies.map(([rows, tally]) => [rows, tally.get(answer) ?? 0]))])),
        ];
      }),
    );
  };

  /** How much of the shade a share has, 0 to 1; the root tells small shares apart. */
  const shadeOf = (share) => (share < 0.005 ? 0 : share ** 0.7);

  const cellOf = (target, answer, cell, { name, href, selected }) => {
    const own = target === answer ? "own" : "";
    if (!cell) return element("td", { class: `empty ${own}` }, element("span", { "aria-label": "none" }, "·"));
    const counts = `${cell.hits.toLocaleString("en")} of ${cell.rows.toLocaleString("en")}`;
    const words = `${name(target)} answered by ${name(answer)}: ${counts}, ${deskmill.shareWords(cell)}`;
    const shade = shadeOf(cell.share);
    return element(
      "td",
      { class: `${own} ${shade > 0.7 ? "strong" : shade > 0.55 ? "middle" : ""}`, style: `--shade: ${(100 * shade).toFixed(0)}%` },
      element(
        "a",
        { href: href(target, answer), title: words, "aria-label": words, "aria-current": selected(target, answer) && "true" },
        element("b", {}, cell.share < 0.0005 ? "<.001" : cell.share.toFixed(3).replace(/^0/, "")),
        element("small", {}, cell.hits.toLocaleString("en")),
      ),
    );
  };

  /** Arrows go from cell to cell, over those without a task. */
  const move = (event) => {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
    const cell = event.target.closest("td");
    if (!cell || (!down && !right)) return;
    const { rows } = cell.closest("tbody");
    let row = cell.parentElement.sectionRowIndex + down,
      column = cell.cellIndex + right;
    while (rows[row]?.cells[column] && !rows[row].cells[column].querySelector("a")) {
      row += down;
      column += right;
    }
    rows[row]?.cells[column]?.querySelector("a")?.focus();
    event.preventDefault();
  };

  /** The table of cross-tabulated shares; `view` has the functions name(key), href(target, answer) and selected(target, answer). */
  deskmill.matrixTable = (caption, targets, answers, crossed, view) => {
    const rowsOf = (target) => [...crossed.get(target).values()][0].rows;
    return element(
      "div",
      { class: "table" },
      element(
        "table",
        { class: "matrix", keydown: move },
        element("caption", {}, element("span", {}, caption)),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            element("th", { scope: "col" }, "target"),
            answers.map((answer) => element("th", { scope: "col", class: "upright" }, element("span", {}, view.name(answer)))),
            element("th", { scope: "col", class: "upright" }, element("span", {}, "answers in all")),
          ),
        ),
        element(
          "tbody",
          {},
          targets.map((target) =>
            element(
              "tr",
              {},
              element("th", { scope: "row" }, view.name(target)),
              answers.map((answer) => cellOf(target, answer, crossed.get(target).get(answer), view)),
              element("td", { class: "number" }, rowsOf(target).toLocaleString("en")),
            ),
          ),
        ),
      ),
    );
  };
})();
