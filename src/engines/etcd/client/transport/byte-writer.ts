const FIRST_BYTES = 128;
const MOST_LOW_BITS = 0x80;

/** Bytes of a message in the making. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A number that is no negative one and a safe integer: tags, lengths, words of an enumeration. */
  writeCount(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= MOST_LOW_BITS) {
      this.#bytes[this.#length++] = (rest % MOST_LOW_BITS) + MOST_LOW_BITS;
      rest = Math.floor(rest / MOST_LOW_BITS);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Any number of 64 bits; a negative one takes ten bytes. */
  writeInt64(value: bigint): void {
    const number = Number(value);
    if (number >= 0 && number <= Number.MAX_SAFE_INTEGER) return this.writeCount(number);
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    while (rest >= 0x80n) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) + MOST_LOW_BITS;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  /** Bytes behind their length. */
  writeBytes(value: Uint8Array): void {
    this.writeCount(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + count));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}
