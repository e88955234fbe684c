// Returns what can be used on the page that is shown, with places in pixels of the screen; null if the page is hidden. It changes nothing.
(() => {
  if (document.visibilityState !== "visible") return null;
  const MOST = 400, LONGEST = 200;
  const BY_ROLE = {
    button: "push button", checkbox: "check box", combobox: "combo box", link: "link", listbox: "list box", menuitem: "menu item",
    menuitemcheckbox: "check menu item", menuitemradio: "radio menu item", option: "list item", radio: "radio button", searchbox: "entry",
    slider: "slider", spinbutton: "spin button", switch: "switch", tab: "page tab", textbox: "entry", treeitem: "tree item",
  };
  const BY_TYPE = {
    button: "push button", checkbox: "check box", color: "push button", file: "push button", image: "push button", number: "spin button",
    password: "password text", radio: "radio button", range: "slider", reset: "push button", submit: "push button",
  };
  const BY_TAG = {A: "link", BUTTON: "push button", SELECT: "combo box", SUMMARY: "toggle button", TEXTAREA: "entry"};
  const scale = window.devicePixelRatio;  // the screen has one pixel a point, so this is the zoom of the page
  const border = (window.outerWidth - window.innerWidth * scale) / 2, side = border > 0 && border < 16 ? border : 0;  // more is a panel at the right
  const above = window.screenY + window.outerHeight - window.innerHeight * scale - side, before = window.screenX + side;
  const found = [];

  const roleOf = (one) => {
    const told = BY_ROLE[one.getAttribute("role")];
    if (told) return told;
    if (one.tagName === "INPUT") return one.type === "hidden" ? null : BY_TYPE[one.type] || "entry";
    if (one.tagName === "A" && !one.hasAttribute("href")) return null;
    if (BY_TAG[one.tagName]) return BY_TAG[one.tagName];
    if (one.isContentEditable && !(one.parentElement && one.parentElement.isContentEditable)) return "entry";
    return one.hasAttribute("onclick") ? "push button" : null;
  };
  const nameOf = (one) => {
    const inner = one.tagName === "SELECT" ? "" : one.innerText;
    const labels = [...(one.labels || [])].map((label) => label.innerText).join(" ");
    const value = ["button", "submit", "reset"].includes(one.type) ? one.value : "";
    const picture = one.querySelector("img[alt]");
    const names = [one.getAttribute("aria-label"), labels, inner, value, one.placeholder, one.title, picture && picture.alt];
    return String(names.find((name) => typeof name === "string" && name.trim()) || "").replace(/\s+/g, " ").trim().slice(0, LONGEST);
  };
  const isInFront = (one, view, box) => {
    let top = view.document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    while (top && top.shadowRoot && top.shadowRoot.elementFromPoint) {
      const inner = top.shadowRoot.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!inner || inner === top) break;
      top = inner;
    }
    const labels = new Set(one.labels || []);
    for (let node = top; node; node = node.parentNode || node.host) if (node === one || labels.has(node)) return true;
    return false;
  };
  const walk = (root, view, x, y) => {
    for (const one of root.querySelectorAll("*")) {
      if (found.length >= MOST) return;
      if (one.shadowRoot) walk(one.shadowRoot, view, x, y);
      const box = one.getBoundingClientRect();
      if (one.tagName === "IFRAME") {
        try { walk(one.contentDocument, one.contentWindow, x + box.x + one.clientLeft, y + box.y + one.clientTop); } catch { /* of another site */ }
        continue;
      }
      const role = box.width >= 3 && box.height >= 3 ? roleOf(one) : null;
      if (!role || !isInFront(one, view, box)) continue;
      const place = [before + (x + box.x) * scale, above + (y + box.y) * scale, box.width * scale, box.height * scale];
      found.push([role, nameOf(one), ...place.map(Math.round)]);
    }
  };
  walk(document, window, 0, 0);
  return JSON.stringify(found);
})()
