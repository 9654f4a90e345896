import { onAbort } from '../../../../core/async/aborts.ts';
import { type Emitter, Listening } from '../subscriptions/listening.ts';

/**
 * Waits until the client is ready. The tempting alternatives are its own promise, which rejects at the first failed attempt
 * although the client retries, and its events alone, of which there is none when it is closed between two attempts.
 *
 * Every command of a cluster that is not ready waits here. All of them share one listener of each event: with a listener
 * each, the eleventh command would print a warning of a leak on the user's client.
 */
export async function waitForIoredis(
  client: Emitter & { readonly status: string },
  closing: AbortSignal,
): Promise<void> {
  if (client.status === 'ready') return;
  closing.throwIfAborted();
  if (client.status === 'end') throw new Error('The connection is closed.');
  const listening = new Listening(client);
  let unlisten = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      listening.on('ready', () => resolve());
      listening.on('end', () => reject(new Error('The connection was closed.')));
      unlisten = onAbort(closing, () => reject(closing.reason));
    });
  } finally {
    listening.stopAll();
    unlisten();
  }
}
