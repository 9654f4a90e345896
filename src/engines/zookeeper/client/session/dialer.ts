import type { TimerQueue } from '../../../../core/time/timer-queue.ts';
import type { Clock, Random } from '../../../../spi/clock.ts';
import { Alarm } from './alarm.ts';
import type { ServerList, ZooKeeperServer } from './server-list.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** Tries all servers once in a third of the time there is: if frozen servers accept and never answer, the last one may answer. */
const ROUND_SHARE = 1 / 3;
/** A pause longer than this share would use up the time in which the session can still be saved. */
const PAUSE_SHARE = 1 / 20;

/**
 * Decides when to try which server. The first round has no pauses: only one of several servers was lost, and the session
 * time runs. After a round without an answer, random pauses keep a fleet from reconnecting in step.
 */
export class Dialer {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #servers: ServerList;
  readonly #dial: (server: ZooKeeperServer) => void;
  readonly #pause: Alarm;
  #failures = 0;

  constructor(
    {
      clock,
      random,
      timers,
    }: { readonly clock: Clock; readonly random: Random; readonly timers: TimerQueue },
    servers: ServerList,
    dial: (server: ZooKeeperServer) => void,
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#servers = servers;
    this.#dial = dial;
    this.#pause = new Alarm(timers, () => this.#dial(this.#servers.next()));
  }

  /** Tries the next server, now or after a pause. */
  next(sessionMs: number): void {
    const pauseMs = this.#pauseMs(sessionMs);
    this.#failures += 1;
    if (pauseMs === 0) this.#dial(this.#servers.next());
    else this.#pause.set(this.#clock.now() + pauseMs);
  }

  /** How long a handshake may take, of the session or of the time to open one. A frozen server accepts and never answers. */
  limitMs(thereIsMs: number): number {
    return (thereIsMs * ROUND_SHARE) / this.#servers.size;
  }

  /** Starts the next loss without pauses: a server has proved that the session lives. */
  resetPauses(): void {
    this.#failures = 0;
  }

  stop(): void {
    this.#pause.cancel();
  }

  #pauseMs(sessionMs: number): number {
    const rounds = Math.floor(this.#failures / this.#servers.size);
    if (rounds === 0) return 0;
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(rounds, 10), LONGEST_PAUSE_MS);
    return 1 + this.#random.fraction() * Math.min(longest, sessionMs * PAUSE_SHARE);
  }
}
