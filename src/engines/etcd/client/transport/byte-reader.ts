const LONGEST_VARINT = 10;

/** The bytes are no message: after that nothing of the connection can be trusted. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/** Reads a message from front to back, and never beyond its end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A number of 64 bits without a sign. */
  readUint64(): bigint {
    const start = this.#at;
    let low = 0;
    let scale = 1;
    // Seven bytes are 49 bits: as a number they are exact, and nearly every value of etcd ends there.
    for (let count = 0; count < 7; count++) {
      const byte = this.#next();
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return BigInt(low);
      scale *= 128;
    }
    let value = BigInt(low);
    for (let shift = 49n; ; shift += 7n) {
      if (this.#at - start >= LONGEST_VARINT) throw new MalformedMessageError('a number without an end');
      const byte = this.#next();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
  }

  readInt64(): bigint {
    return BigInt.asIntN(64, this.readUint64());
  }

  readInt32(): number {
    return Number(BigInt.asIntN(32, this.readUint64()));
  }

  readBytes(): Buffer {
    // Compared as a large integer: a length above 2^53 would round, and one above 2^63 must not move the reader back.
    const length = this.readUint64();
    if (length > BigInt(this.#bytes.length - this.#at))
      throw new MalformedMessageError('bytes beyond the end of the message');
    return this.#take(Number(length));
  }

  /** Skips a field of a newer server. */
  skip(wireType: number): void {
    if (wireType === 0) this.readUint64();
    else if (wireType === 1) this.#take(8);
    else if (wireType === 2) this.readBytes();
    else if (wireType === 5) this.#take(4);
    else throw new MalformedMessageError(`a field of the unknown wire type ${wireType}`);
  }

  #take(count: number): Buffer {
    if (count > this.#bytes.length - this.#at) throw new MalformedMessageError('a field beyond the end');
    const bytes = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return bytes;
  }

  #next(): number {
    if (this.isAtEnd) throw new MalformedMessageError('a number beyond the end of the message');
    return this.#bytes[this.#at++]!;
  }
}
