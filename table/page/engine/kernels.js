// @ts-check
/**
 * The kernels of the package, compiled to WebAssembly (`table/page_kernels.py`), and the records in their memory. Nothing
 * here knows a rule: the modules say how their records are laid out.
 */

/** @import { Mask } from "./cards.js" */

/**
 * Where a field of a record is: its offset, its kind as NumPy writes it, and its shape.
 *
 * @typedef {[offset: number, kind: string, shape: number[]]} Field
 */

/** @typedef {{ size: number, fields: Record<string, Field> }} Layout */

/** The records of each module, by name, and their layouts. All memory is allocated when a module is loaded. */
const RECORDS = {
  rules: {
    rules: "rules",
    state: "state",
    scratchState: "state",
    view: "view",
    deal: "deal",
    handCounts: "handCounts",
    belief: "belief",
  },
  bots: {
    rules: "rules",
    state: "state",
    view: "view",
    scratchView: "view",
    handCounts: "handCounts",
    evaluation: "evaluation",
    rollouts: "rollouts",
    judgement: "judgement",
    judgeScratch: "judgeScratch",
    small: "network",
    smallValue: "network",
    champion: "network",
    championValue: "network",
    solver: "solver",
  },
};

/** @typedef {keyof typeof RECORDS} ModuleName */

const ALIGNMENT = 16;
const PAGE = 65536;

/** A module with its memory. */
export class Kernels {
  /**
   * @param {WebAssembly.Module} module
   * @param {Record<string, string>} records the layout of each record
   */
  constructor(module, records) {
    const { memory, __heap_base: base, ...functions } = /** @type {any} */ (new WebAssembly.Instance(module).exports);
    const [section] = WebAssembly.Module.customSections(module, "records");
    /** @type {Record<string, Layout>} */
    const layouts = JSON.parse(new TextDecoder().decode(section));
    /** @type {Record<string, Function>} */
    this.call = functions;
    /** @type {Record<string, number>} addresses of the records */
    this.at = {};
    let free = base.value;
    for (const [name, layout] of Object.entries(records)) {
      free = Math.ceil(free / ALIGNMENT) * ALIGNMENT;
      this.at[name] = free;
      free += layouts[layout].size;
    }
    const missing = Math.ceil((free - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    /** @type {ArrayBuffer} it never grows again, so that views of it stay */
    this.memory = memory.buffer;
    const bytes = new DataView(this.memory);
    /** @type {Record<string, KernelRecord>} */
    this.records = {};
    for (const [name, layout] of Object.entries(records)) {
      this.records[name] = new KernelRecord(bytes, this.at[name], layouts[layout]);
    }
  }
}

/** @type {Record<string, { size: number, get: (bytes: DataView, at: number) => any, set: (bytes: DataView, at: number, value: any) => void }>} */
const KINDS = {
  i1: {
    size: 1,
    get: (bytes, at) => bytes.getInt8(at),
    set: (bytes, at, value) => bytes.setInt8(at, value),
  },
  b1: {
    size: 1,
    get: (bytes, at) => bytes.getInt8(at) !== 0,
    set: (bytes, at, value) => bytes.setInt8(at, Number(value)),
  },
  i8: {
    size: 8,
    get: (bytes, at) => Number(bytes.getBigInt64(at, true)),
    set: (bytes, at, value) => bytes.setBigInt64(at, BigInt(value), true),
  },
  f8: {
    size: 8,
    get: (bytes, at) => bytes.getFloat64(at, true),
    set: (bytes, at, value) => bytes.setFloat64(at, value, true),
  },
  u8: {
    size: 8,
    get: (bytes, at) => maskOfWord(bytes.getUint32(at, true), bytes.getUint32(at + 4, true)),
    set: (bytes, at, mask) => {
      bytes.setInt32(at, mask[0] | (mask[1] << 13) | (mask[2] << 26), true);
      bytes.setInt32(at + 4, (mask[2] >> 6) | (mask[3] << 7) | (mask[4] << 20), true);
    },
  },
};

/** @param {number} low @param {number} high @returns {Mask} the mask of a 64-bit word in two halves */
function maskOfWord(low, high) {
  return [
    low & 0x1fff,
    (low >>> 13) & 0x1fff,
    ((low >>> 26) | (high << 6)) & 0x1fff,
    (high >>> 7) & 0x1fff,
    high >>> 20,
  ];
}

/** @param {bigint} word as a kernel returns it @returns {Mask} */
export const maskOfBits = (word) => maskOfWord(Number(word & 0xffffffffn), Number((word >> 32n) & 0xffffffffn));

/** A record in the memory of a module. */
class KernelRecord {
  /**
   * @param {DataView} bytes the memory
   * @param {number} at the record's address
   * @param {Layout} layout
   */
  constructor(bytes, at, layout) {
    this.bytes = bytes;
    this.at = at;
    /** @type {Record<string, number>} addresses of the fields */
    this.field = {};
    this.fields = Object.entries(layout.fields).map(([name, [offset, kind, [count = 0, inner = 0]]]) => {
      this.field[name] = at + offset;
      return { name, start: at + offset, kind: KINDS[kind], count, inner };
    });
  }

  /**
   * @param {any} object its fields are written; those that it does not have stay
   * @returns {number} the address of the record
   */
  write(object) {
    const { bytes } = this;
    for (const { name, start, kind, inner } of this.fields) {
      const value = object[name];
      if (value === undefined) continue;
      if (!Array.isArray(value) || (kind === KINDS.u8 && !Array.isArray(value[0]))) {
        kind.set(bytes, start, value);
        continue;
      }
      for (let i = 0; i < value.length; i++) {
        if (!inner) kind.set(bytes, start + kind.size * i, value[i]);
        else for (let j = 0; j < inner; j++) kind.set(bytes, start + kind.size * (inner * i + j), value[i][j]);
      }
    }
    return this.at;
  }

  /** @returns {any} an object with all fields */
  read() {
    const { bytes } = this;
    /** @type {Record<string, any>} */
    const object = {};
    for (const { name, start, kind, count, inner } of this.fields) {
      if (!count) object[name] = kind.get(bytes, start);
      else if (!inner) object[name] = Array.from({ length: count }, (_, i) => kind.get(bytes, start + kind.size * i));
      else {
        object[name] = Array.from({ length: count }, (_, i) =>
          Array.from({ length: inner }, (_, j) => kind.get(bytes, start + kind.size * (inner * i + j))),
        );
      }
    }
    return object;
  }
}

/** @type {Record<ModuleName, Kernels>} those that are loaded */
export const kernels = /** @type {any} */ ({});

/**
 * @param {ModuleName} name
 * @param {WebAssembly.Module} module
 */
export function setKernels(name, module) {
  kernels[name] = new Kernels(module, RECORDS[name]);
}

/**
 * Load a module, once.
 *
 * @param {ModuleName} name
 * @param {(file: string) => Promise<Response>} load a file of the page
 * @throws {WebAssembly.CompileError} if the browser is too old for it
 */
export async function loadKernels(name, load) {
  if (name in kernels) return;
  const response = await load(`${name}.wasm`);
  // A browser compiles while it loads only what is called by this name; some hosts have another one.
  const streams = response.headers.get("content-type") === "application/wasm";
  const module = await (streams
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer()));
  if (!(name in kernels)) setKernels(name, module);
}
