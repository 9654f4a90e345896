const FIRST_BYTES = 256;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** Writes one frame of ZooKeeper's protocol: big-endian numbers, and a length before each value of variable size. */
export class JuteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** Starts behind the length of the frame, which is known last. */
  #end = LENGTH_BYTES;

  int(value: number): void {
    this.#grow(4);
    this.#end = this.#bytes.writeInt32BE(value, this.#end);
  }

  long(value: bigint): void {
    this.#grow(8);
    this.#end = this.#bytes.writeBigInt64BE(value, this.#end);
  }

  bool(value: boolean): void {
    this.#grow(1);
    this.#end = this.#bytes.writeUInt8(value ? 1 : 0, this.#end);
  }

  buffer(value: Uint8Array | null): void {
    if (value === null) return this.int(NULL_LENGTH);
    this.int(value.length);
    this.#grow(value.length);
    this.#bytes.set(value, this.#end);
    this.#end += value.length;
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    this.int(length);
    this.#grow(length);
    this.#end += this.#bytes.write(value, this.#end);
  }

  vector<T>(values: readonly T[], write: (value: T) => void): void {
    this.int(values.length);
    for (const value of values) write(value);
  }

  /** The bytes that the server counts. */
  get length(): number {
    return this.#end - LENGTH_BYTES;
  }

  /** The frame, with its length in front. */
  frame(): Buffer {
    this.#bytes.writeInt32BE(this.length, 0);
    return this.#bytes.subarray(0, this.#end);
  }

  #grow(by: number): void {
    const needed = this.#end + by;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
