/**
 * Sends the joins of one client to one line in the order of their calls, each when the one before is answered.
 *
 * The tempting alternative sends all at once over the one connection. Every call is a stream of its own, and a server carries streams
 * out side by side, as a rule the youngest first: of nine waiters that asked in one turn of the event loop the last one was served
 * first.
 */
export class JoinOrder {
  readonly #waiting = new Map<string, (() => void)[]>();

  async inTurn<T>(line: string, join: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(line);
    if (waiting === undefined) this.#waiting.set(line, []);
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    let isAnswered = false;
    try {
      const answer = await join();
      isAnswered = true;
      return answer;
    } finally {
      this.#release(line, isAnswered);
    }
  }

  /** Without an answer all go: in an outage each would wait for its own time-out behind that of the one before. */
  #release(line: string, isAnswered: boolean): void {
    const waiting = this.#waiting.get(line) ?? [];
    const next = waiting.splice(0, isAnswered ? 1 : waiting.length);
    if (next.length === 0) this.#waiting.delete(line);
    for (const begin of next) begin();
  }
}
