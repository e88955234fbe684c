// What a page says at the places that a task names: see active_tab_html_parse. It is called with what the task says of the getter.
(wanted) => {
  const found = {};
  const all = (selector) => { try { return [...document.querySelectorAll(selector)]; } catch { return []; } };
  const text = (element) => (element?.textContent ?? "").trim();
  const at = (path) => document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue;
  const numbered = (asked, texts) => {
    for (const [name, keys] of Object.entries(asked ?? {})) {
      const listed = texts("." + name);
      for (const [number, key] of Object.entries(keys)) found[key] = listed[Number(number)] ?? "";
    }
  };
  const direct = (selector) => [...(all(selector)[0]?.childNodes ?? [])].filter((node) => node.nodeType === 3).map(text).filter(Boolean);
  const has_other = "is_other_exist";
  if (wanted.category === "class") {
    numbered(wanted.class_multiObject, (selector) => all(selector).map(text));
    numbered(wanted.class_multiObject_child, direct);
    numbered(wanted.class_multiObject_only_child, (selector) => all(selector).map((one) => one.querySelector("h3")).filter(Boolean).map(text));
    for (const [name, keys] of Object.entries(wanted.class_multiObject_search_exist ?? {})) {
      const texts = all("." + name).map(text);
      for (const key of keys) if (key !== has_other) found[key] = texts.includes(key);
      if (keys.includes(has_other)) found[has_other] = texts.some((one) => !keys.includes(one));
    }
    for (const [name, key] of Object.entries(wanted.class_singleObject ?? {})) found[key] = text(all("." + name)[0]);
  } else if (wanted.category === "label") {
    for (const [label, key] of Object.entries(wanted.labelObject ?? {})) {
      const holding = all("body *").filter((one) => one.textContent.toLowerCase().includes(label.toLowerCase()));
      found[key] = text(holding.findLast((one) => holding.every((other) => other === one || !one.contains(other))));
    }
  } else if (wanted.category === "xpath") {
    for (const [path, key] of Object.entries(wanted.xpathObject ?? {})) found[key] = text(at(path));
  } else if (wanted.category === "input") {
    for (const [path, key] of Object.entries(wanted.inputObject ?? {})) found[key] = (at(path)?.value ?? "").trim();
  } else if (wanted.category === "class&url") {
    const listed = (asked, texts) => {
      for (const [name, keys] of Object.entries(asked ?? {})) {
        const lower = texts("." + name).map((one) => one.toLowerCase());
        for (const key of keys) if (lower.includes(key.toLowerCase())) found[key.toLowerCase()] = true;
        found[has_other] ||= lower.some((one) => keys.every((key) => !key.toLowerCase().includes(one)));
      }
    };
    listed(wanted.class_multiObject, (selector) => all(selector).map(text));
    listed(wanted.class_multiObject_li, (selector) => all(selector + " li.catAllProducts span").map(text));
    const url = location.href.toLowerCase();
    for (const key of wanted.url_include_expected ?? []) found[key.toLowerCase()] ??= url.includes(key.toLowerCase());
    for (const [part, key] of Object.entries(wanted.url_include_expected_multichoice ?? {})) found[key.toLowerCase()] ??= url.includes(part.toLowerCase());
  }
  return found;
}
