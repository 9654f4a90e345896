/** What this process has to do. */
export function plan(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** Tells the test something: one line on stdout. Numbers that are too large for JSON are sent as text. */
export function tell(what: string, details: object = {}): void {
  const atMs = performance.timeOrigin + performance.now();
  const fact = JSON.stringify({ what, atMs, ...details }, (_key, value: unknown) => {
    return typeof value === 'bigint' ? String(value) : value;
  });
  process.stdout.write(`${fact}\n`);
}

/** Listened for from the start: the test may have seen all it wants before this process has come to wait for it. */
const wanted = new Promise<void>((resolve) => {
  process.once('SIGTERM', () => resolve());
});

/** Resolves when the test wants this process to end, and keeps it alive until then. */
export async function asked(): Promise<void> {
  const alive = setInterval(() => undefined, 1000);
  await wanted;
  clearInterval(alive);
}
