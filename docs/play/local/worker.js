// @ts-check
/** The worker in the place of the server: answers the requests of `api.js`, one after the other. */

import { supply } from "./data.js";
import { AnswerError, Handlers } from "./handlers.js";

const handlers = new Handlers((notice) => postMessage({ notice }));

self.addEventListener("message", async (/** @type {MessageEvent<{id: number, name: string, given: any[]} | {catalogue: string | null}>} */ { data }) => {
  if ("catalogue" in data) {
    supply(data.catalogue);
    return;
  }
  const { id, name, given } = data;
  try {
    postMessage({ id, answer: await handlers.answer(name, given) });
  } catch (error) {
    if (!(error instanceof AnswerError)) console.error(error);
    const { code, message, session } = error instanceof AnswerError ? error : { code: "server_error", message: `The page has failed: ${error}`, session: null };
    postMessage({ id, error: { code, message, session } });
  }
});
