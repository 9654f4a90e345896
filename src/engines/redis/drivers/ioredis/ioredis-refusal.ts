import { sayingOf } from '../../requests/sayings.ts';
import { readFirstWords } from '../first-words.ts';
import { Listening } from '../subscriptions/listening.ts';
import type { IoredisClient } from './ioredis-shapes.ts';

/**
 * Why a server closes each connection of a client before the client can use it. ioredis writes into the connection as soon as it
 * stands, reads a broken pipe, and the words that the server has said first are lost: "write EPIPE" is all that its user hears of
 * a server whose maxclients is reached. So a connection of our own listens for them.
 */
export class IoredisRefusal {
  readonly #client: IoredisClient;
  readonly #listening: Listening;
  readonly #told = new Set<(error: unknown) => void>();
  #isConnected = false;
  #isLooking = false;
  /** What the server says to each new connection. */
  #refusal: Error | undefined;

  constructor(client: IoredisClient) {
    this.#client = client;
    this.#listening = new Listening(client);
    const { host, port, sentinels, path } = client.options;
    // Behind Sentinels the address is theirs, and a socket file has none to look at.
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

  /** Hears the errors of the client, and in place of those that follow from the refusal the words of the server. */
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
    // A client that may use its connection by now was not refused.
    const saying = this.#client.status === 'ready' ? undefined : sayingOf(words, 'single');
    this.#refusal = saying?.retryable === true ? new Error(`${words}: ${saying.text}`) : undefined;
    if (this.#refusal !== undefined) for (const listener of this.#told) listener(this.#refusal);
  }
}
