import { isUtf8 } from 'node:buffer';

/** The bytes violate ZooKeeper's protocol. The connection that carried them is useless now. */
export class JuteError extends Error {
  override readonly name = 'JuteError';
}

/**
 * Reads one frame. Trusts no length: compares each with the remaining bytes before it allocates, so that a damaged or hostile
 * frame costs an error and no memory.
 */
export class JuteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The remaining bytes. Newer servers add fields at the end of a record, so a rest is no error. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  int(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  long(): bigint {
    return this.#bytes.readBigInt64BE(this.#take(8));
  }

  /** A long that is a time or a count, exact up to 2^53. */
  time(): number {
    return Number(this.long());
  }

  bool(): boolean {
    return this.#bytes.readUInt8(this.#take(1)) !== 0;
  }

  /** A copy: a view would keep the whole chunk of the socket in memory for as long as the caller keeps it. */
  buffer(): Buffer | null {
    const length = this.#length();
    if (length === null) return null;
    const start = this.#take(length);
    return Buffer.from(this.#bytes.subarray(start, start + length));
  }

  string(): string {
    const length = this.#length() ?? 0;
    const start = this.#take(length);
    const text = this.#bytes.subarray(start, start + length);
    // Replacement characters would name a node that does not exist.
    if (!isUtf8(text)) throw new JuteError('a text is not UTF-8');
    return text.toString('utf8');
  }

  /** Refuses a count that the rest of the frame cannot hold. `leastBytes` is the size of the smallest element. */
  vector<T>(leastBytes: number, read: () => T): T[] {
    const count = this.#length(leastBytes) ?? 0;
    const values: T[] = [];
    for (let index = 0; index < count; index += 1) values.push(read());
    return values;
  }

  #length(leastBytes = 1): number | null {
    const length = this.int();
    if (length === -1) return null;
    if (length < 0 || length * leastBytes > this.left)
      throw new JuteError(`a length of ${length} where ${this.left} bytes are left`);
    return length;
  }

  #take(bytes: number): number {
    if (bytes > this.left) throw new JuteError(`${bytes} bytes expected where ${this.left} are left`);
    const start = this.#at;
    this.#at += bytes;
    return start;
  }
}
