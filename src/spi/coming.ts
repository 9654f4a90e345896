/** Takes what came, and makes something of it now or later. */
type Next<A, R> = (came: A) => R | PromiseLike<R>;

/**
 * An answer that is on its way to the one who asked for it. What is to become of it travels with it, from layer to
 * layer, and is called at once when it arrives.
 *
 * The tempting alternative is a promise for each layer. Each is three objects and a turn of the loop's queue, and a lock
 * has five layers: together they cost more than all that the layers do. A promise is made once, where the answer leaves
 * the library: what a caller does with it never runs inside ours.
 */
export class Coming<T> implements PromiseLike<T> {
  // Taken for a function of anything: a private field of what it really takes would make every Coming invariant.
  #done: Next<unknown, unknown> | undefined;
  #failed: Next<unknown, unknown> | undefined;
  #next: Coming<unknown> | undefined;
  #promise: Promise<T> | undefined;
  /** What came before anybody said what should become of it. */
  #early: { readonly value: T } | { readonly error: unknown } | undefined;

  /** Hands it on to the next layer, which alone has it from then on. */
  chain<R>(done: Next<T, R>, failed: Next<unknown, R>): Coming<R> {
    const next = new Coming<R>();
    this.#next = next;
    this.#listen(done, failed);
    return next;
  }

  /** For whoever would rather wait. Always the same one. */
  promise(): Promise<T> {
    return (this.#promise ??= new Promise<T>((resolve, reject) => this.#listen(resolve, reject)));
  }

  // oxlint-disable-next-line unicorn/no-thenable -- to be awaited is what it is for, off the beaten track
  then<R = T, E = never>(done?: Next<T, R> | null, failed?: Next<unknown, E> | null): Promise<R | E> {
    return this.promise().then(done, failed);
  }

  catch<E = never>(failed: Next<unknown, E>): Promise<T | E> {
    return this.promise().catch(failed);
  }

  resolve(value: T): void {
    if (this.#done === undefined) this.#early = { value };
    else this.#pass(this.#done, value);
  }

  reject(error: unknown): void {
    if (this.#failed === undefined) this.#early = { error };
    else this.#pass(this.#failed, error);
  }

  #listen(done: Next<T, unknown>, failed: Next<unknown, unknown>): void {
    if (this.#done !== undefined) throw new Error('This answer was already handed on to somebody else.');
    this.#done = done as Next<unknown, unknown>;
    this.#failed = failed;
    const early = this.#early;
    if (early === undefined) return;
    if ('error' in early) this.reject(early.error);
    else this.resolve(early.value);
  }

  #pass(step: Next<unknown, unknown>, came: unknown): void {
    const next = this.#next;
    if (next === undefined) {
      // The two functions of a promise: they throw nothing and answer nothing.
      void step(came);
      return;
    }
    let made: unknown;
    try {
      made = step(came);
    } catch (error) {
      next.reject(error);
      return;
    }
    if (isThenable(made)) {
      made.then(
        (value) => next.resolve(value),
        (error: unknown) => next.reject(error),
      );
    } else next.resolve(made);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value instanceof Coming || value instanceof Promise;
}
