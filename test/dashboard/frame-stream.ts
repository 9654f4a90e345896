import type { ChangeFrame, SentSighting, TroubleFrame, WholeFrame } from '../../src/dashboard/frames.ts';
import { waitFor } from '../fixtures/wait-for.ts';

type Frame =
  | { readonly event: 'all'; readonly data: WholeFrame }
  | { readonly event: 'some'; readonly data: ChangeFrame }
  | { readonly event: 'trouble'; readonly data: TroubleFrame };

/** Generous: it only decides how long a failure takes. */
const DEADLINE_MS = 30_000;

/** Reads a stream of server-sent events, and keeps what a page would have of it. */
export class FrameStream {
  readonly frames: Frame[] = [];
  readonly rows = new Map<number, SentSighting>();
  trouble: string | undefined;
  isOver = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(response: Response) {
    this.#reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    void this.#read().catch(() => undefined);
  }

  get names(): readonly string[] {
    return [...this.rows.values()].map(({ name }) => name).toSorted();
  }

  row(name: string): SentSighting | undefined {
    return [...this.rows.values()].find((row) => row.name === name);
  }

  shows(name: string): Promise<SentSighting> {
    return waitFor(`the stream shows ${name}`, () => this.row(name), DEADLINE_MS);
  }

  hides(name: string): Promise<true> {
    return waitFor(`the stream hides ${name}`, () => this.row(name) === undefined, DEADLINE_MS);
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.#take(part);
    }
    this.isOver = true;
  }

  #take(part: string): void {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
    if (event === undefined) return;
    const frame = { event, data: JSON.parse(data!) as unknown } as Frame;
    this.frames.push(frame);
    this.trouble = frame.event === 'trouble' ? frame.data.code : undefined;
    if (frame.event === 'trouble') return;
    if (frame.event === 'all') this.rows.clear();
    for (const row of frame.data.rows) this.rows.set(row.id, row);
    if (frame.event === 'some') for (const id of frame.data.gone) this.rows.delete(id);
  }
}
