// @ts-check
/** A seal shows that a game's deals were settled before its first card: a hash of its seed and a salt, which are told when it is over. */

/**
 * @typedef {object} Seal
 * @property {string} hash SHA-256 of the seed, a blank and the salt, in hexadecimal digits
 * @property {string} salt random, so that nobody finds the seed by trying
 */

/** @param {ArrayBuffer | Uint8Array<ArrayBuffer>} bytes @returns {string} hexadecimal digits */
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {number} bytes @returns {string} that many random bytes in hexadecimal digits */
export const randomHex = (bytes) => hex(crypto.getRandomValues(new Uint8Array(bytes)));

/** @param {number} seed @returns {Promise<Seal | null>} null where the browser makes no hashes, as over plain HTTP */
export async function sealOf(seed) {
  if (crypto.subtle === undefined) return null;
  const salt = randomHex(16);
  return { salt, hash: hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${seed} ${salt}`))) };
}
