/* The tasks of one dataset in the browser: columns of codes for filters, pieces of texts for search, outcomes of runs. */
"use strict";

(() => {
  /** Text without case and diacritics; line breaks stay. */
  const folded = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

  /** Words and quoted phrases of a query, folded. */
  deskmill.terms = (query) =>
    [...folded(query).matchAll(/"([^"]*)"?|([^\s"]+)/gu)].map(([, phrase, word]) => (phrase ?? word).replace(/\s+/gu, " ").trim()).filter(Boolean);

  /** Where the terms stand in a text, as [start, end] pairs in order without overlap; none where folding changes the length of the text. */
  deskmill.marks = (text, terms) => {
    const plain = folded(text);
    if (plain.length !== text.length) return [];
    const found = [];
    for (const term of terms)
      for (let at = plain.indexOf(term); at >= 0; at = plain.indexOf(term, at + term.length)) found.push([at, at + term.length]);
    found.sort((one, other) => one[0] - other[0] || other[1] - one[1]);
    return found.reduce((kept, mark) => (kept.length && mark[0] < kept.at(-1)[1] ? kept : [...kept, mark]), []);
  };

  /** Texts of a piece as one folded string, with where each line starts: one scan of the string is faster than one of each text. */
  const searchable = ({ ids, texts }) => {
    const lines = texts.split("\n");
    const plain = folded(texts);
    const starts = new Uint32Array(lines.length + 1);
    for (let line = 1; line <= lines.length; line += 1) {
      const end = plain.indexOf("\n", starts[line - 1]);
      starts[line] = end < 0 ? plain.length + 1 : end + 1;
    }
    return { ids: ids.split("\n"), lines, plain, starts };
  };

  /** Add one to the count of each line that holds a term. */
  const countLines = ({ plain, starts }, term, counts, first) => {
    let line = 0;
    for (let at = plain.indexOf(term); at >= 0; at = plain.indexOf(term, starts[line])) {
      while (starts[line + 1] <= at) line += 1;
      counts[first + line] += 1;
      line += 1;
      if (line >= starts.length - 1) return;
    }
  };

  deskmill.Dataset = class {
    constructor(description, { columns, starts }) {
      this.description = description;
      this.columns = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, deskmill.decoded(column)]));
      this.starts = starts;
      this.size = this.columns.split.codes.length;
      this.pieces = new Array(starts.length);
    }

    /** Load what filters need. */
    static async open(description) {
      return new this(description, await deskmill.load(`columns/${description.dataset_id}`));
    }

    value(name, row) {
      const { values, codes } = this.columns[name];
      return values[codes[row]];
    }

    /** Load one piece of texts. */
    async piece(number) {
      const texts = await deskmill.load(`texts/${this.description.dataset_id}/${number}`);
      return (this.pieces[number] ??= searchable(texts));
    }

    /** Load all texts, one piece after the other; call `loaded` with the number of tasks so far a few times a second and at the end. */
    async allTexts(loaded) {
      let told = performance.now();
      for (let number = 0; number < this.starts.length; number += 1) {
        await this.piece(number);
        if (performance.now() - told > 200) {
          loaded(this.starts[number + 1] ?? this.size);
          told = performance.now();
        }
      }
      loaded(this.size);
    }

    /** Ids and texts of rows. */
    async texts(rows) {
      const made = [];
      for (const row of rows) {
        let number = this.starts.length - 1;
        while (this.starts[number] > row) number -= 1;
        const piece = await this.piece(number);
        made.push({ row, id: piece.ids[row - this.starts[number]], text: piece.lines[row - this.starts[number]] });
      }
      return made;
    }

    /** For each row, how many of the terms its text holds; of what is loaded. */
    termCounts(terms) {
      const counts = new Uint8Array(this.size);
      this.pieces.forEach((piece, number) => {
        for (const term of terms) countLines(piece, term, counts, this.starts[number]);
      });
      return counts;
    }

    /** Return the results of a run for each row: `outcome(row)`, and `answer(row)`, which is null without an answer. */
    async outcomes(run) {
      const { values, codes } = deskmill.decoded((await deskmill.load(`outcomes/${run.run_id}`)).outcome);
      const outcomes = values.map((value) => value.split(":", 1)[0]);
      const answers = values.map((value) => (value.includes(":") ? value.slice(value.indexOf(":") + 1) : null));
      return { outcome: (row) => outcomes[codes[row]], answer: (row) => answers[codes[row]] };
    }

    /** For each row a code of its composition: errors within one composition are not independent. */
    async compositions() {
      const columns = await deskmill.load(`compositions/${this.description.dataset_id}`);
      return deskmill.decoded(columns.composition_id).codes;
    }
  };
})();
