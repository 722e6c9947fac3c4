/*
 * What is wrong with the table in a window of this size: cards, plate and prompt can be seen, what is open covers neither
 * hand nor prize, and the smaller things are smaller.
 */
(least) => {
  const wrong = [];
  const boxOf = (selector) => document.querySelector(selector)?.getBoundingClientRect() ?? null;
  const shown = (box) => box !== null && box.width > 0 && box.height > 0;
  const prize = boxOf(".prize img, .open-cards img") ?? boxOf("#trick img");
  const hand = [...document.querySelectorAll("#hand img")].map((image) => image.getBoundingClientRect());
  const edge = hand.length > 0 ? Math.max(...hand.map(({ bottom }) => bottom)) : 0;
  const bottom = boxOf("#table").bottom;
  const tooLow = document.documentElement.scrollHeight - innerHeight;
  if (innerHeight >= 320) {
    if (tooLow > 1) wrong.push(`the page scrolls by ${Math.round(tooLow)}`);
    if (edge > innerHeight - 4) wrong.push(`the hand ends ${Math.round(edge - innerHeight)} below the screen`);
  }
  if (edge > bottom + 1) wrong.push(`the hand ends ${Math.round(edge - bottom)} below the table`);
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways");
  const isOver = !document.querySelector("#result").hidden;
  if (!isOver) {
    for (const selector of ["#near-plate .plate", "#prompt", "#far-plate .plate", "#stage"])
      if (!shown(boxOf(selector))) wrong.push(`${selector} is gone`);
    if (prize !== null && prize.width < least) wrong.push(`the prize is ${Math.round(prize.width)} wide`);
    const last = boxOf("#last img");
    const [caption, winner] = [boxOf("#last .caption"), boxOf("#last .caption span")];
    if (shown(caption) && winner.left > caption.left + caption.width / 3)
      wrong.push("the winner stands beside its trick");
    if (shown(last) && prize !== null && last.height > prize.height)
      wrong.push("the last trick is larger than the prize");
  }
  if (isOver) {
    const result = boxOf("#result");
    for (const selector of ["#near-plate .plate", "#far-plate .plate", "#stage", "#last"]) {
      const box = boxOf(selector);
      const covered =
        box.left < result.right && result.left < box.right && box.top < result.bottom && result.top < box.bottom;
      if (shown(box) && covered) wrong.push(`the result covers ${selector}`);
    }
  }
  const star = boxOf("#hand .marked"); // above the card
  if (star !== null) hand.push(new DOMRect(star.left, star.top - 0.2 * star.width, star.width, star.height));
  const parts = [...hand, prize].filter(shown);
  for (const open of document.querySelectorAll(":popover-open")) {
    const box = open.getBoundingClientRect();
    const covers = (part) =>
      box.left < part.right - 1 && part.left < box.right - 1 && box.top < part.bottom - 1 && part.top < box.bottom - 1;
    if (parts.some(covers)) wrong.push(`${open.id} covers a card`);
    if (box.left < -1 || box.right > innerWidth + 1 || box.top < -1) wrong.push(`${open.id} is cut off`);
  }
  for (const tool of document.querySelectorAll(".tool")) {
    const signs = [...tool.querySelectorAll("svg, span")].map((part) => part.getBoundingClientRect());
    if (shown(tool.getBoundingClientRect()) && !signs.some(shown)) wrong.push(`an empty button: ${tool.textContent}`);
  }
  for (const name of document.querySelectorAll(".plate strong")) {
    const [inside, outside] = [name.getBoundingClientRect(), name.closest(".plate").getBoundingClientRect()];
    if (inside.left < outside.left || inside.right > outside.right)
      wrong.push(`a name leaves its box: ${name.textContent}`);
  }
  for (const row of document.querySelectorAll(".bars thead tr")) {
    const table = row.closest("table").getBoundingClientRect();
    let end = -Infinity;
    for (const cell of row.querySelectorAll("th, td")) {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const words = range.getBoundingClientRect();
      if (words.width === 0 || cell.querySelector(".hidden")) continue;
      if (words.left < end + 6) wrong.push(`headings touch: ${cell.textContent}`);
      if (words.right > table.right + 1) wrong.push(`cut off: ${cell.textContent}`);
      end = words.right;
    }
    const panel = row.closest("#coach");
    if (panel !== null && panel.scrollWidth > panel.clientWidth)
      wrong.push(`the panel is too narrow: ${row.textContent}`);
  }
  for (const body of document.querySelectorAll("dialog[open] .dialog-body")) {
    if (body.scrollWidth > body.clientWidth + 1) wrong.push("the window scrolls sideways");
    const fan = body.querySelector(".position .open-side:last-child .fan");
    if (fan !== null && innerHeight >= 360 && body.scrollTop === 0) {
      const hidden = fan.getBoundingClientRect().bottom - body.getBoundingClientRect().bottom;
      if (hidden > 0) wrong.push(`your hand of the review ends ${Math.round(hidden)} below the window`);
    }
    for (const scroller of body.querySelectorAll(".scroller"))
      if (scroller.scrollWidth > scroller.clientWidth + 1)
        wrong.push(`a table scrolls sideways: ${scroller.textContent}`);
    for (const area of body.querySelectorAll("textarea[readonly]"))
      if (area.scrollHeight > area.clientHeight + 1) wrong.push("a line of a text is cut through");
    for (const row of body.querySelectorAll(".radios > div")) {
      const boxes = [...row.children].map((choice) => choice.getBoundingClientRect());
      if (innerWidth >= 390 && boxes.some(({ top }) => top !== boxes[0].top))
        wrong.push(`a choice wraps: ${row.textContent}`);
    }
    for (const label of body.querySelectorAll("p + .field label")) {
      const gap =
        label.getBoundingClientRect().top - label.parentElement.previousElementSibling.getBoundingClientRect().bottom;
      if (gap < 6 && shown(label.getBoundingClientRect())) wrong.push(`texts touch: ${label.textContent}`);
    }
  }
  return wrong;
};
