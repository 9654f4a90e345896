/** What must not be shown: the passwords of the address. */
const secrets = new Set<string>();

/** Hides this text from now on, wherever it turns up: the errors of drivers may repeat their arguments. */
export function keepSecret(text: string): void {
  if (text !== '') secrets.add(text);
}

export function withoutSecrets(text: string): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, '***');
  return clean;
}

/** Prints a line of ours. Always on stderr: stdout belongs to results, and under `run` to the command. */
export function say(text: string): void {
  process.stderr.write(`holdfast: ${withoutSecrets(text)}\n`);
}

/** Prints a line of ours as it is. */
export function sayLine(line: string): void {
  process.stderr.write(`${withoutSecrets(line)}\n`);
}

/** Prints a result. */
export function print(text: string): void {
  process.stdout.write(`${withoutSecrets(text)}\n`);
}

/** Prints our warnings in our own form; Node would add how to trace them, and its own warnings. */
export function sayWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name === 'HoldfastWarning') say(message);
  });
}

/** A reader that has seen enough (`| head`) is no error; nor is a log without a reader. */
export function bearClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.stderr.on('error', () => undefined);
}
