import type { Emitter } from './listening.ts';

/**
 * Resolves once the client may be used. Not its own promise for this, which is rejected at the first failed attempt
 * although the client goes on trying; and not only its events, of which there is none when it is closed between two
 * attempts.
 */
export async function ioredisReady(
  client: Emitter & { readonly status: string },
  closing: AbortSignal,
): Promise<void> {
  if (client.status === 'ready') return;
  closing.throwIfAborted();
  if (client.status === 'end') throw new Error('The connection is closed.');
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      client.off('ready', ready);
      client.off('end', ended);
      closing.removeEventListener('abort', aborted);
    };
    const ready = (): void => {
      stop();
      resolve();
    };
    const ended = (): void => {
      stop();
      reject(new Error('The connection was closed.'));
    };
    const aborted = (): void => {
      stop();
      reject(closing.reason);
    };
    client.on('ready', ready);
    client.on('end', ended);
    closing.addEventListener('abort', aborted);
  });
}
