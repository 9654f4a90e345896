import { MalformedMessageError } from './byte-reader.ts';

const HEADER_BYTES = 5;
/** More than any answer that the client asks for: a length beyond it is no length. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** A message behind a byte that says that it is not compressed, and behind its length. */
export function frameOf(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, HEADER_BYTES);
  return frame;
}

/** Cuts what a stream brings into messages, whatever the pieces are in which it comes. */
export class GrpcFrameSplitter {
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): readonly Buffer[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const messages: Buffer[] = [];
    while (this.#rest.length >= HEADER_BYTES) {
      if (this.#rest[0] !== 0)
        throw new MalformedMessageError('a compressed message, which was not asked for');
      const length = this.#rest.readUInt32BE(1);
      if (length > LONGEST_MESSAGE) throw new MalformedMessageError(`a message of ${length} bytes`);
      const end = HEADER_BYTES + length;
      if (this.#rest.length < end) break;
      messages.push(this.#rest.subarray(HEADER_BYTES, end));
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }
}
