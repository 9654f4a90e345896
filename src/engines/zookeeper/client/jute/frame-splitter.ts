import { JuteError } from './jute-reader.ts';

const LENGTH_BYTES = 4;

/**
 * Cuts the stream of a socket into frames. Keeps the chunks as they arrived until a frame is complete. The tempting
 * alternative is to allocate the announced length: 4 bytes of a hostile peer would cost as much memory as the limit allows.
 */
export class FrameSplitter {
  readonly #maxFrameBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The length of the current frame, once its 4 bytes have arrived. */
  #expected: number | undefined;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Returns the frames that this chunk completes, without their lengths. Throws on a length out of bounds. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < (this.#expected ?? LENGTH_BYTES)) return [];

    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#bytes);
    const frames: Buffer[] = [];
    let at = 0;
    for (;;) {
      if (this.#expected === undefined) {
        if (all.length - at < LENGTH_BYTES) break;
        this.#expected = this.#checked(all.readInt32BE(at));
        at += LENGTH_BYTES;
      }
      if (all.length - at < this.#expected) break;
      frames.push(all.subarray(at, at + this.#expected));
      at += this.#expected;
      this.#expected = undefined;
    }
    const rest = all.subarray(at);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    return frames;
  }

  #checked(length: number): number {
    if (length >= 0 && length <= this.#maxFrameBytes) return length;
    throw new JuteError(`a frame of ${length} bytes, where at most ${this.#maxFrameBytes} are accepted`);
  }
}
