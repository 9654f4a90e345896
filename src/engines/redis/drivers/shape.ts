/** What a kind of object has and no other kind has all of: the way to recognise it without its class. */
export class Shape<T extends object> {
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  fits(value: unknown): value is T {
    return typeof value === 'object' && value !== null && this.#names.every((name) => name in value);
  }
}
