/** Takes what came, and makes something of it now or later. */
type Next<A, R> = (came: A) => R | PromiseLike<R>;

/** The same, with its subject as a parameter. */
type NextFor<S, A, R> = (self: S, came: A) => R | PromiseLike<R>;

/** Either of them, with what it was given. */
type Continuation = (...given: unknown[]) => unknown;

/**
 * An answer that is on its way to the one who asked for it. What is to become of it travels with it, from layer to
 * layer, and is called at once when it arrives.
 *
 * The tempting alternative is a promise for each layer. Each is three objects and a turn of the loop's queue, and a lock
 * has five layers: together they cost more than all that the layers do. A promise is made once, where the answer leaves
 * the library: what a caller does with it never runs inside ours.
 */
export class PendingAnswer<T> implements PromiseLike<T> {
  // Taken for a function of anything: a private field of what it really takes would make every Coming invariant.
  #done: Continuation | undefined;
  #failed: Continuation | undefined;
  /** Whom they are called for. */
  #self: object | undefined;
  #next: PendingAnswer<unknown> | undefined;
  #promise: Promise<T> | undefined;
  /** The answer that came before it had a continuation. */
  #early: { readonly value: T } | { readonly error: unknown } | undefined;

  /** Hands it on to the next layer, which alone has it from then on. */
  chain<R>(done: Next<T, R>, failed: Next<unknown, R>): PendingAnswer<R> {
    const next = new PendingAnswer<R>();
    this.#next = next;
    this.#listen(done, failed);
    return next;
  }

  /**
   * The same by functions that get their subject as a parameter: a closure over the subject would have to be made for each
   * answer, or kept by each caller that may ever ask.
   */
  chainFor<R, S extends object>(
    self: S,
    done: NextFor<S, T, R>,
    failed: NextFor<S, unknown, R>,
  ): PendingAnswer<R> {
    const next = new PendingAnswer<R>();
    this.#next = next;
    this.#self = self;
    this.#listen(done, failed);
    return next;
  }

  /** The answer as a promise, for a caller that awaits. Always the same promise. */
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

  /** Comes to what is made of an answer that has come from elsewhere. */
  become<A>(make: Next<A, T>, came: A): void {
    let made: T | PromiseLike<T>;
    try {
      made = make(came);
    } catch (error) {
      this.reject(error);
      return;
    }
    this.#comeTo(made);
  }

  resolve(value: T): void {
    if (this.#done === undefined) this.#early = { value };
    else this.#pass(this.#done, value);
  }

  reject(error: unknown): void {
    if (this.#failed === undefined) this.#early = { error };
    else this.#pass(this.#failed, error);
  }

  #listen(done: (...given: never[]) => unknown, failed: (...given: never[]) => unknown): void {
    if (this.#done !== undefined) throw new Error('This answer already has a continuation.');
    this.#done = done as Continuation;
    this.#failed = failed as Continuation;
    const early = this.#early;
    if (early === undefined) return;
    if ('error' in early) this.reject(early.error);
    else this.resolve(early.value);
  }

  #pass(step: Continuation, came: unknown): void {
    const next = this.#next;
    if (next === undefined) {
      // The two functions of a promise: they throw nothing and answer nothing.
      void step(came);
      return;
    }
    let made: unknown;
    try {
      made = this.#self === undefined ? step(came) : step(this.#self, came);
    } catch (error) {
      next.reject(error);
      return;
    }
    next.#comeTo(made);
  }

  /** Now or later. */
  #comeTo(made: T | PromiseLike<T>): void {
    if (isThenable(made)) {
      made.then(
        (value) => this.resolve(value),
        (error: unknown) => this.reject(error),
      );
    } else this.resolve(made);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value instanceof PendingAnswer || value instanceof Promise;
}
