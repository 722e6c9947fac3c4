// @ts-check
/** The curve of the chance to win, with marks for the biggest mistakes and for the largest changes that you did not cause. */

import { percent } from "../../game/wording.js";
import { h, svg } from "../dom.js";
import { signed } from "../words.js";

/** @typedef {import("../../game/types.js").Review} Review */

const WIDTH = 600;
const HEIGHT = 150;

export class WinCurve {
  /**
   * @param {Review} review
   * @param {(move: number) => void} choose called with the number of moves played at the point that was clicked
   */
  constructor({ winCurve: curve, moves, mistakes, swings }, choose) {
    this.curve = curve;
    const x = (/** @type {number} */ place) => (WIDTH * place) / Math.max(curve.length - 1, 1);
    const y = (/** @type {number} */ chance) => HEIGHT * (1 - chance);
    this.x = x;
    this.y = y;
    const corners = curve.map((chance, place) => `${x(place).toFixed(1)},${y(chance).toFixed(1)}`);
    const endgame = moves.findIndex((move) => move.stage === "endgame");
    this.cursor = svg("line", { class: "cursor", y1: 0, y2: HEIGHT, x1: 0, x2: 0 });
    this.dot = svg("path", { class: "dot" });
    const drawing = svg(
      "svg",
      {
        viewBox: `-8 -8 ${WIDTH + 16} ${HEIGHT + 16}`,
        preserveAspectRatio: "none",
        class: "curve",
        role: "img",
        "aria-label": words(curve),
      },
      svg("rect", { class: "ground", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
      endgame > 0
        ? svg("rect", { class: "endgame", x: x(endgame), y: 0, width: WIDTH - x(endgame), height: HEIGHT })
        : null,
      svg("line", { class: "half", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      svg("polygon", { class: "area", points: `0,${HEIGHT} ${corners.join(" ")} ${WIDTH},${HEIGHT}` }),
      svg("polyline", { class: "line", points: corners.join(" ") }),
      ...swings.map(({ move, change }) =>
        svg("path", {
          class: "swing",
          d: `M${x(move).toFixed(1)} ${y(curve[move] - change).toFixed(1)}V${y(curve[move]).toFixed(1)}`,
        }),
      ),
      ...mistakes.map((number) => svg("path", { class: "mark", d: point(x(number), y(curve[number])) })),
      this.cursor,
      this.dot,
    );
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width) * (WIDTH + 16) - 8;
      choose(Math.min(Math.max(Math.round((share / WIDTH) * (curve.length - 1)), 0), curve.length - 1));
    });
    this.element = h(
      "figure",
      { class: "chart" },
      drawing,
      h(
        "figcaption",
        {},
        `Your chance to win.${endgame > 0 ? " The endgame is shaded." : ""}${mistakes.length > 0 ? " Dots mark your biggest mistakes." : ""}${swings.length > 0 ? " Bars mark what was beyond your control." : ""}`,
      ),
    );
    /** Legend of the bars. */
    this.swings =
      swings.length > 0 &&
      h(
        "section",
        { class: "swings" },
        h("h3", {}, "Beyond your control"),
        h(
          "ul",
          {},
          ...swings.map((swing) =>
            h(
              "li",
              {},
              h(
                "button",
                { class: "quiet", onclick: () => choose(swing.move) },
                h("b", {}, `${signed(100 * swing.change, 0)} percentage points`),
                h("span", {}, swing.text),
              ),
            ),
          ),
        ),
      );
  }

  /** @param {number} place moves played */
  show(place) {
    const x = String(this.x(place));
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.dot.setAttribute("d", point(this.x(place), this.y(this.curve[place])));
  }
}

/** @param {number} x @param {number} y @returns {string} a line of no length, whose round ends stay round although the drawing is stretched */
function point(x, y) {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h.01`;
}

/** @param {number[]} curve @returns {string} */
function words(curve) {
  return `Your chance to win: ${percent(curve[0])} at the start, at least ${percent(Math.min(...curve))}, at most ${percent(Math.max(...curve))}`;
}
