// @ts-check
/** Doing something that asks the server, with a word to the person where that fails. */

import { ApiError } from "./api.js";
import { alertUser } from "./tabs.js";

/**
 * Do something that asks the server; say what went wrong.
 *
 * @param {() => Promise<any>} act
 */
export async function attempt(act) {
  document.body.classList.add("thinking");
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    alertUser(error.message);
  } finally {
    document.body.classList.remove("thinking");
  }
}
