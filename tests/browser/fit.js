/*
 * What is wrong on screens of some sizes, in a frame: every text, every control and every fan of cards has room of its
 * own. Nothing is cut off, but what can be scrolled to, and nothing lies on anything else.
 */
([sizes, least]) => {
  const FANS = "#hand, #far-hand, .stock-cards, .last-cards, .discarded, .fan, .trick-cards, .tries";
  const BOXES = `button, a, input, select, textarea, summary, .plate, #stage, #coach, #result, .board, svg, .card`;
  const styles = new Map();
  const styleOf = (element) => styles.get(element) ?? styles.set(element, getComputedStyle(element)).get(element);
  const meet = (one, other) => ({
    left: Math.max(one.left, other.left),
    right: Math.min(one.right, other.right),
    top: Math.max(one.top, other.top),
    bottom: Math.min(one.bottom, other.bottom),
  });
  const around = (boxes) => ({
    left: Math.min(...boxes.map((box) => box.left)),
    right: Math.max(...boxes.map((box) => box.right)),
    top: Math.min(...boxes.map((box) => box.top)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  });
  const name = ({ element, words, box }) =>
    [
      element.id || element.className?.baseVal || element.className || element.tagName,
      JSON.stringify(words.slice(0, 24)),
      [box.left, box.top, box.right, box.bottom].map(Math.round),
    ].join(" ");

  const look = (root) => {
    const wrong = [];
    const parts = [];
    const add = (element, words, box, clips, text) => {
      let seen = box;
      for (const { clip, beside, beyond } of clips) {
        if (seen.left > seen.right || seen.top > seen.bottom) return; // scrolled away
        const isBeside = !beside && (seen.left < clip.left - 1 || seen.right > clip.right + 1);
        const isBeyond = !beyond && (seen.top < clip.top - 1 || seen.bottom > clip.bottom + 1);
        if (isBeside || isBeyond) wrong.push(`cut off: ${name({ element, words, box })}`);
        seen = meet(seen, clip);
      }
      const edge = text ? 0.2 * (box.bottom - box.top) : 0; // letters are lower than their line
      if (seen.right - seen.left > 1 && seen.bottom - seen.top > 1) {
        parts.push({
          element,
          words,
          node: text ?? element,
          box: { ...seen, top: seen.top + edge, bottom: seen.bottom - edge },
        });
      }
    };
    const visit = (element, outer) => {
      const style = styleOf(element);
      if (
        element.matches("noscript, details:not([open]) > :not(summary)") ||
        (element !== root && element.matches(":popover-open")) || // it may lie on what is not a card
        style.display === "none" ||
        style.visibility === "hidden" ||
        style.clipPath !== "none"
      )
        return;
      let clips = outer;
      const across = style.overflowX !== "visible";
      const down = style.overflowY !== "visible";
      if ((across || down) && style.display !== "contents") {
        const scrolls = element.matches(".scroller");
        const clip = element.getBoundingClientRect();
        clips = [
          { clip, beside: scrolls, beyond: ["auto", "scroll"].includes(style.overflowY) || element.id === "far-hand" },
          ...outer,
        ];
      }
      if (element.matches(FANS)) {
        const cards = [...element.querySelectorAll("img")].map((image) => image.getBoundingClientRect());
        if (cards.length > 0) add(element, `${cards.length} cards`, around(cards), clips);
        const apart = element.id !== "far-hand" || cards.length < 2 ? least : cards[1].left - cards[0].left;
        if (apart < (element.matches(".known") ? 11 : 4))
          wrong.push(`no fan: ${cards.length} cards, ${apart} pixels apart`);
        if (element.id === "hand")
          cards.forEach(({ width }) => width < least && wrong.push(`small cards: ${Math.round(width)}`));
        return;
      }
      if (element.matches(BOXES)) add(element, element.textContent.trim(), element.getBoundingClientRect(), clips);
      if (element.matches("select, textarea")) return;
      for (const child of element.childNodes) {
        if (child.nodeType === Node.ELEMENT_NODE) visit(child, clips);
        else if (child.nodeType === Node.TEXT_NODE && child.data.trim() !== "") {
          const range = document.createRange();
          range.selectNodeContents(child);
          const lines = [...range.getClientRects()].filter((box) => box.width > 0);
          if (parseFloat(style.fontSize) < 14) wrong.push(`small letters: ${child.data.trim()}, ${style.fontSize}`);
          lines.forEach((line) => add(element, child.data.trim(), line, clips, child));
          if (lines.length === 0) wrong.push(`no room: ${child.data.trim()}`);
        }
      }
    };
    const isLow = parseFloat(getComputedStyle(document.body).minHeight) > innerHeight; // then the page scrolls
    const screen = { clip: { left: 0, top: 0, right: innerWidth, bottom: innerHeight }, beside: false, beyond: isLow };
    visit(root, [screen]);
    parts.sort((one, other) => one.box.top - other.box.top);
    parts.forEach((one, number) => {
      for (let next = number + 1; next < parts.length && parts[next].box.top < one.box.bottom - 2; next += 1) {
        const other = parts[next];
        const both = meet(one.box, other.box);
        if (both.right - both.left <= 2 || both.bottom - both.top <= 2) continue;
        if (one.node.contains(other.node) || other.node.contains(one.node)) continue;
        wrong.push(`${name(one)} lies on ${name(other)}`);
      }
    });
    return [...new Set(wrong)];
  };

  const found = [];
  for (const [width, height] of sizes) {
    Object.assign(frameElement.style, { width: `${width}px`, height: `${height}px` });
    frameElement.getBoundingClientRect(); // the page has its new size now
    dispatchEvent(new Event("resize"));
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    const roots = dialog === undefined ? [document.body, ...document.querySelectorAll(":popover-open")] : [dialog];
    const wrong = roots.flatMap(look);
    if (wrong.length > 0) found.push([`${width}x${height}`, wrong]);
  }
  return found;
};
