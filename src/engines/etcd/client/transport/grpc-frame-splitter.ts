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

/**
 * Cuts what a stream brings into messages, whatever the pieces are in which it comes. Keeps the pieces as they came until a message is
 * whole. The tempting alternative appends each to the rest: 24 MB in pieces of 16 KB took 13 s, in which no timer ran.
 */
export class GrpcFrameSplitter {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** So many bytes have to be there before there is anything to cut: a header, or a whole message behind its own. */
  #needed = HEADER_BYTES;

  push(piece: Buffer): readonly Buffer[] {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes < this.#needed) return [];
    let rest = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces, this.#bytes);
    const messages: Buffer[] = [];
    for (;;) {
      this.#needed = neededFor(rest);
      if (rest.length < this.#needed) break;
      messages.push(rest.subarray(HEADER_BYTES, this.#needed));
      rest = rest.subarray(this.#needed);
    }
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    return messages;
  }
}

function neededFor(rest: Buffer): number {
  if (rest.length < HEADER_BYTES) return HEADER_BYTES;
  if (rest[0] !== 0) throw new MalformedMessageError('a compressed message, which was not asked for');
  const length = rest.readUInt32BE(1);
  if (length > LONGEST_MESSAGE) throw new MalformedMessageError(`a message of ${length} bytes`);
  return HEADER_BYTES + length;
}
