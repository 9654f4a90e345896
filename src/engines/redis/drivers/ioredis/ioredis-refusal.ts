import { sayingOf } from '../../requests/sayings.ts';
import { readFirstWords } from '../opening/read-first-words.ts';
import { Listening } from '../subscriptions/listening.ts';
import type { IoredisClient } from './ioredis-shapes.ts';

/**
 * Finds why a server closes each connection of a client before the client can use it. ioredis writes as soon as it is
 * connected and gets a broken pipe, and the reason that the server sent first is lost: "write EPIPE" is all that the user
 * sees of a server whose maxclients is reached. So a connection of our own reads the reason.
 */
export class IoredisRefusal {
  readonly #client: IoredisClient;
  readonly #listening: Listening;
  readonly #told = new Set<(error: unknown) => void>();
  #isConnected = false;
  #isLooking = false;
  /** The reason that the server gives to each new connection. */
  #refusal: Error | undefined;

  constructor(client: IoredisClient) {
    this.#client = client;
    this.#listening = new Listening(client);
    const { host, port, sentinels, path } = client.options;
    // With Sentinels the address is theirs, and a Unix socket has none.
    if (sentinels || path || host === undefined || port === undefined) return;
    this.#listening.on('connect', () => (this.#isConnected = true));
    this.#listening.on('ready', () => {
      this.#isConnected = false;
      this.#refusal = undefined;
    });
    this.#listening.on('close', () => {
      if (this.#isConnected) void this.#look(host, port);
      this.#isConnected = false;
    });
  }

  /** Observes the errors of the client, with the server's reason in place of the errors that follow from its refusal. */
  onError(listener: (error: unknown) => void): () => void {
    const stop = this.#listening.onError((error) => listener(this.#refusal ?? error));
    this.#told.add(listener);
    return () => {
      stop();
      this.#told.delete(listener);
    };
  }

  stop(): void {
    this.#listening.stopAll();
    this.#told.clear();
  }

  async #look(host: string, port: number): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const words = (await readFirstWords({ host, port }, Boolean(this.#client.options.tls))).replace(/^-/, '');
    this.#isLooking = false;
    // A client that is ready by now was not refused.
    const saying = this.#client.status === 'ready' ? undefined : sayingOf(words, 'single');
    this.#refusal = saying?.retryable === true ? new Error(`${words}: ${saying.text}`) : undefined;
    if (this.#refusal !== undefined) for (const listener of this.#told) listener(this.#refusal);
  }
}
