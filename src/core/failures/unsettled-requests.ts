/**
 * The requests of a client that are being repeated although an earlier copy may have been carried out, by what they are about.
 *
 * A wait that ends before its request does asks here what to say. The tempting alternative goes by the last answer of the store:
 * a server that has become a replica refuses a copy and has done nothing for it, but may have carried out the copy before,
 * whose answer was lost (soundness 3).
 */
export class UnsettledRequests {
  readonly #requests = new Map<string, Set<object>>();

  add(resource: string, request: object): void {
    const known = this.#requests.get(resource) ?? new Set();
    this.#requests.set(resource, known.add(request));
  }

  /** The request is over: its own caller hears what became of it. */
  delete(resource: string, request: object): void {
    const known = this.#requests.get(resource);
    if (known?.delete(request) === true && known.size === 0) this.#requests.delete(resource);
  }

  has(resource: string): boolean {
    return this.#requests.has(resource);
  }
}
