// @ts-check
/** Share a deal as a link or a text, and open one that was shared. */

import { dataNow } from "../../game/data.js";
import { PageError } from "../../game/errors.js";
import * as sessions from "../../game/sessions.js";
import { LINK, MAX_DEALS, RECORDING } from "../../game/shared_deals.js";
import { dateText } from "../../game/wording.js";
import { waitFor } from "../attempt.js";
import { h, newId } from "../dom.js";
import { alertUser } from "../notices.js";
import { openDialog } from "./dialog.js";

const READ = 10_000; // milliseconds within which the browser has read a file that it saves

/**
 * @param {import("../../game/types.js").Session} session
 * @param {number} deal
 * @param {number} [move] of which the address is offered, too
 */
export async function openShare(session, deal, move) {
  const { recording, code } = await sessions.recording(session.id, deal);
  const canBeOpened = session.match.deals > 1 && session.match.deals <= MAX_DEALS;
  const all = canBeOpened ? (await sessions.recording(session.id, null)).recording : null;
  const { server } = dataNow(); // its address is one person's: it holds a token
  const page = server ? "" : `${location.origin}${location.pathname}`;
  const link = `${page}${LINK}${code}`;
  openDialog("Share this deal", [
    h(
      "p",
      {},
      `The ${server ? "code is a challenge: whoever pastes it under “Open a recording”" : "link is a challenge: whoever opens it"} plays the same deal and sees yours only afterwards.`,
    ),
    copyField(server ? "Code" : "Link", link),
    move !== undefined && h("p", {}, `The ${server ? "code" : "link"} of the review opens it at this move.`),
    move !== undefined && copyField(`${server ? "Code" : "Link"} of the review`, `${page}${RECORDING}${code},${move}`),
    h(
      "details",
      {},
      h("summary", {}, "More: the deal as a text or a file"),
      h(
        "p",
        {},
        "Read it with “Open a recording” on any German Whist page, or with german-whist draw FILE in a terminal.",
      ),
      copyField("Text", recording, 6),
      h(
        "div",
        { class: "buttons" },
        h("button", { class: "quiet", onclick: () => saveFile("deal.jsonl", `${recording}\n`) }, "Save as a file"),
        all !== null &&
          h(
            "button",
            { class: "quiet", onclick: () => saveFile("deals.jsonl", `${all}\n`) },
            `Save all ${session.match.deals} deals of this game`,
          ),
      ),
    ),
  ]);
}

/** @param {string} label @param {string} text @param {number} [rows] @returns {HTMLElement} */
export function copyField(label, text, rows = 1) {
  const id = newId();
  const given = { id, readonly: true, spellcheck: "false" };
  const area = rows > 1 ? h("textarea", { ...given, rows }, text) : h("input", { ...given, type: "text", value: text });
  const name = label.toLowerCase();
  const button = h("button", { class: "quiet" }, `Copy the ${name}`);
  button.addEventListener("click", async () => {
    const copied = await copy(text);
    if (copied) button.focus();
    else area.select();
    button.textContent = copied ? "Copied" : "Copy the marked text yourself";
  });
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    area,
    h(
      "div",
      { class: "buttons" },
      button,
      "share" in navigator && h("button", { class: "quiet", onclick: () => void send(text) }, `Send the ${name}`),
    ),
  );
}

/** @param {string} text @returns {Promise<boolean>} whether the browser allows it */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // There is no clipboard over plain HTTP. Beside an open dialog, the page is inert: nothing there can be selected.
    const area = h("textarea", { readonly: true }, text);
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

/** Send a text by the system's share sheet. @param {string} text @returns {Promise<boolean>} whether there is one */
async function send(text) {
  if (!("share" in navigator)) return false;
  try {
    await navigator.share({ text });
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError"; // the player has cancelled
  }
  return true;
}

/**
 * Send the result of a deal of the day, or copy it.
 *
 * @param {import("../../game/types.js").Session} session
 * @param {import("../../game/types.js").HouseResult[]} others
 */
export async function sendDay({ day, deal, agent, position: { result } }, others) {
  if (result === null || day === null) return;
  const { you, opponent } = result.tricks;
  const verb = { you: "won", opponent: "lost", nobody: "drew" }[result.winner ?? "nobody"];
  const lines = [
    `German Whist, deal of ${dateText(day)}: I ${verb} ${you} to ${opponent} against ${agent.title}${deal.assisted ? ", with help" : ""}.`,
    `With my cards: ${others.map(({ title, tricks }) => `${title} ${tricks}`).join(" · ")}`,
  ];
  if (!dataNow().server) lines.push(`${location.origin}${location.pathname}#day=${day}`);
  const text = lines.join("\n");
  if (await send(text)) return;
  alertUser(
    (await copy(text)) ? "Copied: paste your result wherever you like." : "Your browser does not allow copying.",
  );
}

/** @param {string} name the file's name @param {string} text */
export function saveFile(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), READ);
}

/** @param {(recording: string) => Promise<void>} open called with the text of recordings, or a link */
export function openRecordingDialog(open) {
  const id = newId();
  const wrong = h("p", { class: "bad", role: "alert" });
  const area = h("textarea", { id, rows: 6, spellcheck: "false", placeholder: '{"version":1, …}' });
  const file = h("input", { id: `${id}-file`, type: "file", accept: ".jsonl,.json,.txt" });
  file.addEventListener("change", async () => {
    area.value = (await file.files?.[0]?.text()) ?? "";
  });
  const dialog = openDialog("Open a recording", [
    h("div", { class: "field" }, h("label", { for: id }, "Text, link or code"), area),
    h("div", { class: "field" }, h("label", { for: `${id}-file` }, "Or a file"), file),
    h(
      "div",
      { class: "buttons" },
      h(
        "button",
        {
          class: "primary",
          onclick: async () => {
            const text = area.value.trim();
            if (text === "") return;
            try {
              await waitFor(() => open(text));
            } catch (error) {
              if (!(error instanceof PageError)) throw error;
              wrong.textContent = error.message; // the window stays open, so the text is not lost
              return;
            }
            dialog.close();
          },
        },
        "Open",
      ),
    ),
    wrong,
  ]);
}
