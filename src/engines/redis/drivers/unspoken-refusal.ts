import { systemClock } from '../../../core/time/clock.ts';
import type { Timer } from '../../../spi/clock.ts';
import { isAboutTls, sayingOf } from '../requests/sayings.ts';
import { findTrouble } from './opening/find-trouble.ts';
import type { HostAndPort } from './opening/redis-address.ts';
import { type Emitter, Listening } from './subscriptions/listening.ts';

/** A client that is not ready after so long is worth a look why. */
const DOUBT_MS = 300;

/** A client for one server, as far as its connection is concerned. */
export interface ConnectingClient {
  readonly emitter: Emitter;
  /** Where it connects to; undefined where it does not say. */
  readonly where: HostAndPort | undefined;
  readonly tls: boolean;
  /** What the client emits when an attempt to connect has failed. */
  readonly failing: 'close' | 'error';
  /** Whether the client looks for its server and cannot use a connection yet. */
  readonly isConnecting: () => boolean;
}

/**
 * Why a server ends each connection of a client before the client can use it, or leaves each without an answer. A client does
 * not say so. ioredis writes into the connection as soon as it stands, reads a broken pipe, and loses the words that a server
 * says first whose maxclients is reached. A client without TLS reads from a port with TLS that the connection was closed, and
 * one with TLS waits at a port without for a greeting that never comes. So a connection of our own asks.
 */
export class UnspokenRefusal {
  readonly #client: ConnectingClient;
  readonly #listening: Listening;
  readonly #told = new Set<(error: unknown) => void>();
  readonly #refused = new Set<(refusal: Error) => void>();
  readonly #doubt: Timer | undefined;
  #isConnected = false;
  #looking: Promise<void> | undefined;
  #refusal: Error | undefined;

  constructor(client: ConnectingClient) {
    this.#client = client;
    this.#listening = new Listening(client.emitter);
    const { where, tls, failing } = client;
    if (where === undefined) return;
    this.#listening.on('connect', () => (this.#isConnected = true));
    this.#listening.on('ready', () => {
      this.#isConnected = false;
      this.#refusal = undefined;
    });
    this.#listening.on(failing, () => {
      // A server that is not there refuses us as well, and is not asked. With TLS a client is connected after the greeting.
      if (this.#isConnected || tls) void this.#look(where);
      this.#isConnected = false;
    });
    // What the client connected to before we listened, or waits for without an end, is reported by no event.
    this.#doubt = systemClock.timer(DOUBT_MS, () => void this.#look(where));
  }

  /** Why the server ends each new connection, until the client is ready. */
  get reason(): Error | undefined {
    return this.#refusal;
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

  /** Calls with each refusal that is found. */
  onRefusal(listener: (refusal: Error) => void): () => void {
    this.#refused.add(listener);
    return () => this.#refused.delete(listener);
  }

  /**
   * The known refusal, if it still stands. The client itself tries again after a pause of up to seconds: meanwhile the server
   * may have room again, and what was known would refuse a request that the next connection carries.
   */
  async confirm(): Promise<Error | undefined> {
    const { where } = this.#client;
    if (this.#refusal !== undefined && where !== undefined) await this.#look(where);
    return this.#refusal;
  }

  stop(): void {
    this.#doubt?.cancel();
    this.#listening.stopAll();
    this.#told.clear();
    this.#refused.clear();
  }

  #look(where: HostAndPort): Promise<void> {
    this.#looking ??= this.#findRefusal(where).finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #findRefusal(where: HostAndPort): Promise<void> {
    const { tls, isConnecting } = this.#client;
    if (!isConnecting()) return;
    const trouble = await findTrouble(where, tls);
    // A client that may use its connection by now was not refused.
    this.#refusal = trouble !== undefined && isConnecting() ? inFull(trouble) : undefined;
    if (this.#refusal === undefined) return;
    for (const listener of this.#told) listener(this.#refusal);
    for (const listener of this.#refused) listener(this.#refusal);
  }
}

/** The words of a server, and what they mean. */
function inFull({ message }: Error): Error {
  const saying = isAboutTls(message) ? undefined : sayingOf(message, 'single');
  return new Error(saying === undefined ? message : `${message}: ${saying.text}`);
}
