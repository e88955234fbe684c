/* Data from disk. A page from file:// cannot fetch, so data comes as script files that call deskmill.put(name, value). */
"use strict";

const deskmill = {};

(() => {
  const held = new Map();
  const loading = new Map();

  deskmill.put = (name, value) => held.set(name, value);

  /** What was put under a name; undefined where nothing was. */
  deskmill.held = (name) => held.get(name);

  /** Load the script file of a name, once; null where there is no such file. */
  deskmill.load = (name) => {
    if (!loading.has(name))
      loading.set(
        name,
        new Promise((resolve) => {
          const script = document.createElement("script");
          script.src = `data/explorer/${name}.js`;
          script.onload = () => {
            script.remove();
            resolve(held.get(name) ?? null);
          };
          script.onerror = () => {
            script.remove();
            resolve(null);
          };
          document.head.append(script);
        }),
      );
    return loading.get(name);
  };

  /** A coded column as its distinct values and a typed array with the code of each row. */
  deskmill.decoded = ({ values, width, codes }) => {
    const text = atob(codes);
    const bytes = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place += 1) bytes[place] = text.charCodeAt(place);
    const Codes = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width];
    return { values, codes: new Codes(bytes.buffer) };
  };
})();
