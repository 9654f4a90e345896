/** What a slow viewer may have waiting for it before it gets no more changes, but everything at once later. */
const MOST_WAITING_BYTES = 1 << 20;

const encoder = new TextEncoder();

export function encoded(text: string): Uint8Array {
  return encoder.encode(text);
}

/** One page that views: a stream that ends when the page goes away. */
export class Viewer {
  readonly stream: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isBehind = false;
  #isOver = false;

  /** `everything` makes the frame for a viewer that has fallen behind; `left` is called once, when the page is gone. */
  constructor(everything: () => string, left: (viewer: Viewer) => void) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => {
          if (!this.#isBehind) return;
          this.#isBehind = false;
          controller.enqueue(encoded(everything()));
        },
        cancel: () => {
          this.#isOver = true;
          left(this);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
    );
  }

  /**
   * Sends a frame. A page that does not read, such as one of a phone in a pocket, must not fill the memory of the application:
   * what it misses is replaced by one frame with everything when it reads again.
   */
  send(frame: Uint8Array): void {
    if (this.#isOver || this.#isBehind) return;
    if ((this.#controller.desiredSize ?? 0) > 0) this.#controller.enqueue(frame);
    else this.#isBehind = true;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.close();
  }
}
