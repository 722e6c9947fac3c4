// @ts-check
/**
 * Which cards a deal has: deal `index` of seed `seed`, the same as in Python
 * (`game/dealing_kernels.py`).
 *
 * The random words come from Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). The
 * key is the seed and the counter is (index, block, stream). Numbers hold 53 bits, so its 64-bit products are put together
 * from parts.
 */

const DECK_STREAM = 0;
const M0 = 0xd2511f53, M1 = 0xcd9e8d57, W0 = 0x9e3779b9, W1 = 0xbb67ae85; // multipliers and key increments of Philox
const WORDS = 2 ** 32;

/** @param {number} a @param {number} b @returns {number} the upper word of the product of two 32-bit words */
function upperProduct(a, b) {
  const low = b & 0xffff, high = b >>> 16; // a product of 32 and 16 bits is exact in a float64
  return Math.floor((a * high + Math.floor((a * low) / 65536)) / 65536);
}

/** @param {number} a @param {number} b @returns {number} the lower word of the product of two 32-bit words */
const lowerProduct = (a, b) => Math.imul(a, b) >>> 0;

/**
 * The four 32-bit words of one Philox4x32-10 block.
 *
 * @param {bigint} seed the key, 0 to 2**64 - 1
 * @param {bigint} index the low two words of the counter
 * @param {number} block the third word
 * @param {number} stream the fourth word
 */
export function philox(seed, index, block, stream) {
  let c0 = Number(index & 0xffffffffn);
  let c1 = Number(index >> 32n);
  let c2 = block;
  let c3 = stream;
  let k0 = Number(seed & 0xffffffffn);
  let k1 = Number(seed >> 32n);
  for (let round = 0; round < 10; round++) {
    const upper0 = upperProduct(c0, M0), lower0 = lowerProduct(c0, M0);
    const upper1 = upperProduct(c2, M1), lower1 = lowerProduct(c2, M1);
    c0 = (upper1 ^ c1 ^ k0) >>> 0;
    c1 = lower1;
    c2 = (upper0 ^ c3 ^ k1) >>> 0;
    c3 = lower0;
    k0 = (k0 + W0) % WORDS;
    k1 = (k1 + W1) % WORDS;
  }
  return [c0, c1, c2, c3];
}

/**
 * Shuffle a deck in place (Fisher–Yates). Bounded numbers come from Lemire's multiplication; words that would favour some
 * numbers are rejected.
 *
 * @param {bigint} seed
 * @param {bigint} index
 * @param {number[]} deck
 */
export function shuffle(seed, index, deck) {
  /** @type {number[]} */
  let words = []; // unused words of the block
  let block = 0;
  for (let last = deck.length - 1; last > 0; last--) {
    const bound = last + 1;
    let word;
    do {
      if (!words.length) words = philox(seed, index, block++, DECK_STREAM);
      word = /** @type {number} */ (words.shift());
    } while (lowerProduct(word, bound) < WORDS % bound);
    const other = upperProduct(word, bound);
    [deck[last], deck[other]] = [deck[other], deck[last]];
  }
}

/**
 * The deck of deal `index` of seed `seed` in dealing order; seat `index % 2` deals it.
 *
 * @param {readonly number[]} cards the cards of the deck in their standard order (`Rules.cards`)
 * @param {bigint | number} seed 0 to 2**64 - 1
 * @param {bigint | number} index 0 to 2**64 - 1
 * @returns {number[]}
 */
export function dealDeck(cards, seed, index) {
  const deck = [...cards];
  shuffle(BigInt(seed), BigInt(index), deck);
  return deck;
}
