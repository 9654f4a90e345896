/** How often each command was called, by the server's own count. What a script calls is counted as well. */
export type Calls = ReadonlyMap<string, number>;

/** Of an answer to `INFO commandstats`. */
export function callsIn(info: string): Calls {
  const found = info.split('\r\n').map((line) => /^cmdstat_([^:]+):calls=(\d+)/.exec(line));
  return new Map(
    found.filter((match) => match !== null).map(([, name = '', count]) => [name, Number(count)]),
  );
}

/** Those that came in between, without our own `INFO`. */
export function callsBetween(before: Calls, after: Calls): Calls {
  const calls = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return new Map(calls.filter(([name, count]) => name !== 'info' && count > 0));
}

export function totalOf(calls: Calls): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

/** `INFO stats` as it goes over the wire. */
const ASKING_BYTES = '*2\r\n$4\r\ninfo\r\n$5\r\nstats\r\n'.length;

/** What came in between two answers to `INFO stats`, without the second question. */
export function bytesIn(before: string, after: string): number {
  return counted(after, 'total_net_input_bytes') - counted(before, 'total_net_input_bytes') - ASKING_BYTES;
}

/**
 * What went out between two answers to `INFO stats`, without the first answer: the server counts before it writes, so that
 * its own answer is in no count but the next one.
 */
export function bytesOut(before: string, after: string): number {
  const all = counted(after, 'total_net_output_bytes') - counted(before, 'total_net_output_bytes');
  return all - bulkBytes(before);
}

function counted(info: string, name: string): number {
  const found = new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1];
  if (found === undefined) throw new RangeError(`the server has no ${name}`);
  return Number(found);
}

/** Of a bulk string on the wire. */
function bulkBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  return `$${bytes}\r\n`.length + bytes + '\r\n'.length;
}
