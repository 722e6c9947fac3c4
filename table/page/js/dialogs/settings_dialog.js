// @ts-check
/** The settings: how the table looks, sounds and answers. */

import { NO_CARD, parseCard } from "../../engine/cards.js";
import { h } from "../dom.js";
import { change, settings } from "../settings.js";
import { drawing } from "../table/card.js";
import { openDialog } from "./dialog.js";
import { checkField, radioField, selectField } from "./fields.js";

/** @typedef {import("../settings.js").Settings} Settings */

export function openSettings() {
  openDialog(
    "Settings",
    [
      h(
        "div",
        { class: "columns" },
        h("section", {}, h("h3", {}, "Cards"), ...cardFields()),
        h("section", {}, h("h3", {}, "Table"), ...tableFields()),
        h("section", {}, h("h3", {}, "Playing"), ...playFields()),
      ),
    ],
    { kind: "wide" },
  );
}

/** @param {keyof Settings} name @returns {(value: any) => void} */
function set(name) {
  return (value) => change({ [name]: value });
}

/** @returns {HTMLElement[]} */
function cardFields() {
  /** @type {[import("../settings.js").Settings["faces"], string][]} */
  const faceTitles = [
    ["modern", "Modern"],
    ["classic", "Classic"],
    ["four-colour", "Four colours"],
  ];
  const faces = faceTitles.map(([value, title]) => ({ value, title, picture: facePreview(value) }));
  /** @type {[import("../settings.js").Settings["back"], string][]} */
  const backTitles = [
    ["lattice", "Lattice"],
    ["waves", "Waves"],
    ["diamonds", "Diamonds"],
  ];
  const backs = backTitles.map(([value, title]) => ({ value, title, picture: backPreview(value) }));
  const colors = [
    ["red", "Red"],
    ["blue", "Blue"],
    ["green", "Green"],
    ["grey", "Grey"],
  ].map(([value, title]) => ({ value, title, picture: swatch(value) }));
  return [
    radioField("Card faces", "faces", faces, settings.faces, set("faces")),
    radioField("Card backs", "back", backs, settings.back, set("back")),
    radioField("Colour of the backs", "back-color", colors, settings.backColor, set("backColor")),
  ];
}

/** @param {string} color the backs' color @returns {HTMLElement} */
function swatch(color) {
  const element = h("i", { class: "swatch" });
  element.style.background = `var(--back-${color})`;
  return element;
}

/** @param {import("../settings.js").Settings["faces"]} faces @returns {HTMLElement} two cards with these faces, whatever the setting is */
function facePreview(faces) {
  return h(
    "span",
    { class: "preview" },
    ...["SK", "D9"].map((card) => drawing(parseCard(card), { ...settings, faces })),
  );
}

/** @param {import("../settings.js").Settings["back"]} back @returns {HTMLElement} */
function backPreview(back) {
  return h("span", { class: "preview" }, drawing(NO_CARD, { ...settings, back }));
}

/** @returns {HTMLElement[]} */
function tableFields() {
  return [
    selectField(
      "Size of the cards",
      [
        { value: "usual", title: "Usual" },
        { value: "large", title: "Large" },
      ],
      settings.cards,
      set("cards"),
    ),
    selectField(
      "Hand",
      [
        { value: "auto", title: "Automatic" },
        { value: "row", title: "One row" },
        { value: "stacked", title: "Stacked in two rows" },
      ],
      settings.hand,
      set("hand"),
    ),
    selectField(
      "Order of suits",
      [
        { value: "alternate", title: "Trumps first, colours in turn" },
        { value: "classic", title: "Spades, hearts, diamonds, clubs" },
      ],
      settings.suits,
      set("suits"),
    ),
    selectField(
      "Orientation",
      [
        { value: "auto", title: "Automatic" },
        { value: "portrait", title: "Portrait" },
        { value: "landscape", title: "Landscape" },
      ],
      settings.orientation,
      set("orientation"),
    ),
    selectField(
      "Speed",
      [
        { value: "normal", title: "Normal" },
        { value: "fast", title: "Fast" },
        { value: "none", title: "No animation" },
        { value: "instant", title: "Instant" },
      ],
      settings.speed,
      set("speed"),
      "Click the table to skip what is being shown. Your system’s reduced-motion setting always applies",
    ),
  ];
}

/** @returns {HTMLElement[]} */
function playFields() {
  return [
    checkField(
      "Play a card with a single tap",
      settings.singleTap,
      set("singleTap"),
      "Otherwise the first tap raises it and the second plays it",
    ),
    checkField(
      "Forced cards play themselves",
      settings.forced,
      set("forced"),
      "When only one card is legal; Take back then returns to your last real choice",
    ),
    checkField("Sound", settings.sound, set("sound")),
    checkField(
      "Show the cards that the opponent is known to hold",
      settings.known,
      set("known"),
      "Cards that you saw it take and not yet play",
    ),
    checkField(
      "Memory quiz",
      settings.memoryQuiz,
      set("memoryQuiz"),
      "When the stock is gone: which cards does the opponent hold?",
    ),
    checkField(
      "Single-key shortcuts",
      settings.shortcuts,
      set("shortcuts"),
      "H hint, U take back, N next deal, R review, S describe the table to a screen reader",
    ),
  ];
}
