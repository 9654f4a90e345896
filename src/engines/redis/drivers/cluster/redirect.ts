import { isError } from '../../../../spi/is-error.ts';

/** A redirect of a cluster: permanent, or for one command while a slot migrates. */
export interface Redirect {
  readonly kind: 'moved' | 'ask';
  readonly address: string;
}

export function redirectOf(error: unknown): Redirect | undefined {
  if (!isError(error)) return undefined;
  const [, word, address] = /^(MOVED|ASK) \d+ (\S+)/.exec(error.message) ?? [];
  if (word === undefined || address === undefined) return undefined;
  return { kind: word === 'MOVED' ? 'moved' : 'ask', address };
}

/** Whether an error is a server's answer and not a broken connection: answers begin with a word in capitals. */
export function isAnswer(error: unknown): boolean {
  return isError(error) && /^[A-Z]{3,}\b/.test(error.message);
}

/**
 * Whether an error is the answer of a server that could answer every other connection as well. A server that runs a script
 * answers BUSY to new connections, while requests behind that script, on its connection, wait: that connection is not dead.
 */
export function isIdleAnswer(error: unknown): boolean {
  return isAnswer(error) && !(error as Error).message.startsWith('BUSY ');
}
