/** What this process was told to do. */
export function plan(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** Tells the test something: one line on stdout. Numbers that are too large for JSON are told as text. */
export function tell(what: string, details: object = {}): void {
  const atMs = performance.timeOrigin + performance.now();
  const fact = JSON.stringify({ what, atMs, ...details }, (_key, value: unknown) => {
    return typeof value === 'bigint' ? String(value) : value;
  });
  process.stdout.write(`${fact}\n`);
}

/** Resolves when the test wants this process to end. */
export function asked(): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => undefined, 1000);
    process.once('SIGTERM', () => {
      clearInterval(alive);
      resolve();
    });
  });
}
