/** What must not be seen: the passwords of the address. */
const secrets = new Set<string>();

/** From now on this is not shown, wherever it turns up: the errors of drivers may repeat what they were given. */
export function keepSecret(text: string): void {
  if (text !== '') secrets.add(text);
}

export function withoutSecrets(text: string): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, '***');
  return clean;
}

/** A line of ours. Always on stderr: stdout belongs to results, and under `run` to the command. */
export function say(text: string): void {
  process.stderr.write(`holdfast: ${withoutSecrets(text)}\n`);
}

/** A line of ours as it is. */
export function sayLine(line: string): void {
  process.stderr.write(`${withoutSecrets(line)}\n`);
}

/** A result. */
export function print(text: string): void {
  process.stdout.write(`${withoutSecrets(text)}\n`);
}

/** Warnings of ours in our own words; Node would add how to trace them, and warnings about itself. */
export function sayWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name === 'HoldfastWarning') say(message);
  });
}

/** A reader that has seen enough (`| head`) is no fault; nor is a log without a reader. */
export function bearClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.stderr.on('error', () => undefined);
}
