/* Parts of a task's page: lists of terms, sections, tables, names of applications, prompts. */
"use strict";

(() => {
  const { element, title } = deskmill;
  const NO_PROMPT = "The prompt of this call is not kept here.";

  /** A list of terms and what they are; pairs without content are left out. */
  const described = (pairs) =>
    element(
      "dl",
      {},
      pairs
        .filter(([, content]) => content !== null && content !== undefined && content !== "")
        .map(([term, content]) => [element("dt", {}, term), element("dd", {}, ...[content].flat())])
        .flat(),
    );

  const section = (id, heading, ...content) => element("section", { "aria-labelledby": id }, element("h2", { id }, heading), ...content);

  const table = (caption, heads, rows) =>
    element(
      "div",
      { class: "table" },
      element(
        "table",
        {},
        element("caption", {}, element("span", {}, caption)),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            heads.map((head) => element("th", { scope: "col" }, head)),
          ),
        ),
        element(
          "tbody",
          {},
          rows.map((row) =>
            element(
              "tr",
              {},
              row.map((cell) => element("td", {}, ...[cell].flat())),
            ),
          ),
        ),
      ),
    );

  const applications = (names) => names.map((name, number) => [number ? ", " : "", element("span", { title: name }, title(name))]).flat();

  /** The messages of a call, folded away. */
  const messages = (prompts, call) => {
    const found = prompts?.calls[call];
    if (!found) return element("p", { class: "soft" }, NO_PROMPT);
    return element(
      "details",
      { class: "prompt" },
      element("summary", {}, `prompt of call ${call}`),
      found.map(([role, lines]) =>
        element("div", {}, element("h4", {}, role), element("pre", { tabindex: "0" }, lines.map((number) => prompts.lines[number]).join("\n"))),
      ),
    );
  };

  deskmill.parts = { described, section, table, applications, messages };
})();
