/** What `util.inspect` looks for in an object that shows itself. By its name, so that no part of Node is imported for it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

type Inspect = (value: unknown, options: object) => string;

/** The members by which an object shows itself in a log. */
interface Logged {
  toJSON(): object;
  [INSPECT](depth: number, options: object, inspect: Inspect): string;
}

/** One line, however wide: a log is searched by lines. */
function line(name: string, shown: object, options: object, inspect: Inspect): string {
  return `${name} ${inspect(shown, { ...options, breakLength: Infinity })}`;
}

/** Members for an object that `JSON.stringify` shows as these values, and `console.log` as its name and these values. */
export function logged(name: string, shown: () => object): Logged {
  return {
    toJSON: shown,
    [INSPECT]: (_depth, options, inspect) => line(name, shown(), options, inspect),
  };
}

/**
 * Lets `JSON.stringify` and `console.log` show the objects of a class by a few plain values, none of them secret. Without it a
 * log shows clients, timers and connections over several screens, with what a client keeps of its address, and JSON throws at
 * the first fence, a bigint. Defined on the prototype: an object costs no more for it.
 */
export function logAs<T extends object>(
  of: { readonly prototype: T },
  name: string,
  shown: (object: T) => object,
): void {
  const members = {
    toJSON(this: T): object {
      return shown(this);
    },
    [INSPECT](this: T, _depth: number, options: object, inspect: Inspect): string {
      return line(name, shown(this), options, inspect);
    },
  };
  for (const key of [INSPECT, 'toJSON'] as const)
    Object.defineProperty(of.prototype, key, { value: members[key], configurable: true, writable: true });
}
