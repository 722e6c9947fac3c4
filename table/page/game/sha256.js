// @ts-check
/** SHA-256 (FIPS 180-4), because browsers offer `crypto.subtle` only over HTTPS and on `localhost`. */

// The first 64.
const PRIMES = Array.from({ length: 312 }, (_, number) => number).filter((number) => number > 1 && ![...Array(number).keys()].some((one) => one > 1 && number % one === 0));

/** @param {number} number @returns {number} the first 32 bits of its fraction */
const fraction = (number) => Math.floor((number - Math.floor(number)) * 2 ** 32) | 0;

const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));

/** @param {number} word @param {number} bits @returns {number} */
const turned = (word, bits) => (word >>> bits) | (word << (32 - bits));

/** @param {string} text @returns {string} the digest of its UTF-8 in hexadecimal */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(padded.buffer).set([...bytes, 0x80]);
  // 0x80, zeros, and the length in bits fill the last block.
  padded.setBigUint64(padded.byteLength - 8, BigInt(8 * bytes.length));
  const state = [...START];
  const words = new Int32Array(64);
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let place = 0; place < 64; place += 1) {
      if (place < 16) {
        words[place] = padded.getInt32(block + 4 * place);
        continue;
      }
      const [early, late] = [words[place - 15], words[place - 2]];
      const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      words[place] = words[place - 16] + low + words[place - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let place = 0; place < 64; place += 1) {
      const choice = (e & f) ^ (~e & g);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + ROUNDS[place] + words[place]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
      [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, place) => {
      state[place] = (state[place] + word) | 0;
    });
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
