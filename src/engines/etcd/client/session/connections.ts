import type { ConnectionOptions } from 'node:tls';
import type { Clock, Random, Timer } from '../../../../spi/clock.ts';
import { type Dialing, dialEndpoint } from '../transport/dial-endpoint.ts';
import type { EndpointRound } from '../transport/endpoints.ts';
import { EtcdError } from '../transport/etcd-error.ts';
import type { GrpcConnection } from '../transport/grpc-connection.ts';

/** A member that stands still accepts and is silent: the next one is tried beside it after this time. */
const NEXT_BESIDE_MS = 250;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** What connections are made of, and who hears of them. */
export interface ConnectionsPlan {
  readonly endpoints: EndpointRound;
  readonly tls: ConnectionOptions | undefined;
  /** How long one endpoint may take to answer. */
  readonly connectMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly onConnected: (connection: GrpcConnection) => void;
  /** The connection has ended, or was given up. The next one is on its way. */
  readonly onLost: (error: unknown) => void;
}

interface AwaitedConnection {
  readonly resolve: (connection: GrpcConnection) => void;
  readonly reject: (error: EtcdError) => void;
}

/** The one connection of a client, and the next one when it has ended: at another member where there are several. */
export class EtcdConnections {
  readonly #plan: ConnectionsPlan;
  readonly #waiting = new Set<AwaitedConnection>();
  #current: GrpcConnection | undefined;
  #dialings: Dialing[] = [];
  #pause: Timer | undefined;
  #isDialing = false;
  #isClosed = false;
  /** Rounds in which no endpoint has proven itself. */
  #failures = 0;
  #lastError: unknown;

  constructor(plan: ConnectionsPlan) {
    this.#plan = plan;
  }

  get current(): GrpcConnection | undefined {
    return this.#current?.isUsable === true ? this.#current : undefined;
  }

  /** The connection, or the next one if it comes in time. */
  wait(timeoutMs: number): Promise<GrpcConnection> {
    if (this.#isClosed) return Promise.reject(closedError());
    const { current } = this;
    if (current !== undefined) return Promise.resolve(current);
    return new Promise((resolve, reject) => {
      const timer = this.#plan.clock.timer(timeoutMs, () => {
        this.#waiting.delete(call);
        const why = this.#lastError instanceof Error ? `: ${this.#lastError.message}` : '';
        const message = `no endpoint was reached within ${Math.ceil(timeoutMs)} ms${why}`;
        reject(new EtcdError('NOT_SENT', message, { cause: this.#lastError }));
      });
      timer.keepsAlive(true);
      const call: AwaitedConnection = {
        resolve: (connection) => {
          timer.cancel();
          resolve(connection);
        },
        reject: (error) => {
          timer.cancel();
          reject(error);
        },
      };
      this.#waiting.add(call);
      this.#dial();
    });
  }

  /** Ends the connection if it is still the one, and goes on to the next endpoint. */
  giveUp(connection: GrpcConnection, error: unknown): void {
    if (connection !== this.#current) return;
    this.#lose(connection, error);
    connection.destroy();
  }

  /** The member behind the connection does its work: the next loss begins without a pause. */
  resetPauses(): void {
    this.#failures = 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#pause?.cancel();
    for (const dialing of this.#dialings.splice(0)) dialing.cancel();
    for (const call of this.#waiting) call.reject(closedError());
    this.#waiting.clear();
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    current.onEnd = undefined;
    current.destroy();
  }

  #lose(connection: GrpcConnection, error: unknown): void {
    connection.onEnd = undefined;
    this.#current = undefined;
    this.#lastError = error;
    this.#plan.onLost(error);
    this.#dial();
  }

  #dial(): void {
    if (this.#isDialing || this.#isClosed) return;
    this.#isDialing = true;
    const pauseMs = this.#pauseMs();
    if (pauseMs === 0) return this.#dialRound();
    this.#pause = this.#plan.clock.timer(pauseMs, () => this.#dialRound());
  }

  /** The first round of a loss has no pause: only one of several members is gone. Random ones keep a fleet out of step. */
  #pauseMs(): number {
    const { endpoints, random } = this.#plan;
    const rounds = Math.floor(this.#failures / endpoints.size);
    if (rounds === 0) return 0;
    return 1 + random.fraction() * Math.min(FIRST_PAUSE_MS * 2 ** Math.min(rounds, 10), LONGEST_PAUSE_MS);
  }

  /** Tries every endpoint once: the next one when the one before has failed, or beside it when that is silent. */
  #dialRound(): void {
    const { endpoints, tls, connectMs, clock } = this.#plan;
    let left = endpoints.size;
    let open = 0;
    let beside: Timer | undefined;
    const begin = (): void => {
      beside?.cancel();
      if (left === 0 || !this.#isDialing || this.#isClosed) return;
      left--;
      open++;
      this.#failures++;
      const dialing = dialEndpoint({ endpoint: endpoints.next(), tls, timeoutMs: connectMs, clock });
      this.#dialings.push(dialing);
      beside = clock.timer(NEXT_BESIDE_MS, begin);
      dialing.connected.then(
        (connection) => {
          beside?.cancel();
          this.#dialings = this.#dialings.filter((one) => one !== dialing);
          this.#settle(connection);
        },
        (error: unknown) => {
          this.#dialings = this.#dialings.filter((one) => one !== dialing);
          this.#lastError = error;
          open--;
          if (left > 0) return begin();
          if (open > 0 || !this.#isDialing) return;
          beside?.cancel();
          this.#isDialing = false;
          this.#dial();
        },
      );
    };
    begin();
  }

  #settle(connection: GrpcConnection): void {
    // The race: two members answer, or the client was closed meanwhile. One connection is enough.
    if (!this.#isDialing || this.#isClosed || !connection.isUsable) {
      connection.destroy();
      if (!this.#isDialing || this.#isClosed) return;
      this.#isDialing = false;
      return this.#dial();
    }
    this.#isDialing = false;
    for (const dialing of this.#dialings.splice(0)) dialing.cancel();
    this.#current = connection;
    connection.onEnd = () => {
      const error = new EtcdError('CONNECTION_LOST', `the connection to ${connection.endpoint} ended`);
      if (connection === this.#current) this.#lose(connection, error);
    };
    this.#plan.onConnected(connection);
    for (const call of this.#waiting) call.resolve(connection);
    this.#waiting.clear();
  }
}

function closedError(): EtcdError {
  return new EtcdError('CLOSED', 'the client was closed');
}
