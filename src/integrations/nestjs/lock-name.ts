/** The name of a lock for a call: a text with parameters of the method in braces, or a function of its arguments. */
export type LockName = string | ((...args: never[]) => string);

type NameForCall = (args: readonly unknown[]) => string;

const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Reads a name such as `orders:{id}` or `orders:{order.id}`, where `id` and `order` are parameters of the method.
 *
 * What a parameter is called stands in the source of the method alone. A name that is not found there is refused when the class is
 * declared: a lock with a hole in its name would lock the wrong thing.
 */
export function nameForCall(
  name: LockName,
  method: (...args: never[]) => unknown,
  where: string,
): NameForCall {
  if (typeof name === 'function') return (args) => name(...(args as never[]));
  const parameters = parametersOf(String(method));
  const paths = new Map<string, readonly [place: number, keys: readonly string[]]>();
  for (const [, path = ''] of name.matchAll(PLACEHOLDER)) {
    const [parameter = '', ...keys] = path.split('.');
    const place = parameters.indexOf(parameter);
    if (place === -1)
      throw new TypeError(
        `${where}: {${path}} of "${name}" is no parameter of the method (${parameters.join(', ')}). Name one, or pass a function of the arguments.`,
      );
    paths.set(path, [place, keys]);
  }
  return (args) =>
    name.replaceAll(PLACEHOLDER, (_, path: string) => {
      const [place, keys] = paths.get(path)!;
      return textOf(valueAt(args[place], keys), `${where}: {${path}} of "${name}"`);
    });
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((found, key) => (found as Record<string, unknown> | null | undefined)?.[key], value);
}

function textOf(value: unknown, what: string): string {
  if ((typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint')
    return String(value);
  throw new TypeError(`${what} is ${value === '' ? 'empty' : typeof value}: it must be a text or a number.`);
}

/** The names of the parameters in the source of a method; a default may have commas and brackets of its own. */
function parametersOf(source: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  let name = '';
  for (const character of source.slice(source.indexOf('('))) {
    if (depth === 1 && (character === ',' || character === ')')) {
      names.push(name.replace(/=.*/s, '').trim());
      name = '';
    } else if (depth >= 1) name += character;
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character)) depth--;
    if (depth === 0) break;
  }
  return names.filter((each) => each !== '');
}
