/** Where a cluster sends us: for good, or for this one command while a slot is on its way. */
export interface Redirect {
  readonly kind: 'moved' | 'ask';
  readonly address: string;
}

export function redirectOf(error: unknown): Redirect | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, word, address] = /^(MOVED|ASK) \d+ (\S+)/.exec(error.message) ?? [];
  if (word === undefined || address === undefined) return undefined;
  return { kind: word === 'MOVED' ? 'moved' : 'ask', address };
}

/** Whether a server has answered, in contrast to a connection that broke: its errors begin with a word in capitals. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{3,}\b/.test(error.message);
}

/**
 * Whether a server has answered that could answer any other connection as well. One that runs a script says BUSY to newcomers,
 * while requests behind that script, on the connection that sent it, wait: their connection is not at fault.
 */
export function isIdleAnswer(error: unknown): boolean {
  return isAnswer(error) && !(error as Error).message.startsWith('BUSY ');
}
