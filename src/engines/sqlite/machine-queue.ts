import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock, systemRandom } from '../../core/time/clock.ts';
import { connectToEnd, EndSocket } from './liveness/end-socket.ts';

/** One position in the queue. */
export interface QueueTicket {
  /** Lets the process right behind go on. */
  leave(): void;
}

/**
 * The queue of the processes of one machine that wait for the same name in the same file, before they ask the file.
 *
 * Without it two hundred processes write themselves into one row of SQLite and undo each other's writes, and the holder that wants to
 * release the lock does not get its write through. Here each process waits for the end of a connection to the process right before
 * it, which costs nothing, and only the first one goes to the file. The queue orders processes and excludes none: a process that does not
 * use it meets the others in the file, where the lock is.
 */
export class MachineQueue {
  readonly #folder: string;
  readonly #begins: string;

  /** One queue for each thing in each database. */
  constructor(database: string, thing: string) {
    const digest = createHash('sha256').update(thing).digest('hex').slice(0, 16);
    this.#folder = dirname(database);
    this.#begins = `${basename(database)}-door-${digest}-`;
  }

  /** Waits until no ticket is before this one. Throws the reason of the signal. */
  async enter(signal: AbortSignal): Promise<QueueTicket> {
    const name = `${this.#begins}${String(Math.floor(systemClock.epochNow() * 1000)).padStart(18, '0')}-${systemRandom.id()}`;
    const socket = new EndSocket(socketNameOf(name), true);
    const file = join(this.#folder, name);
    const ticket: QueueTicket = {
      leave: () => {
        rmSync(file, { force: true });
        socket.end();
      },
    };
    try {
      // The file is written once the socket listens: the process behind removes a ticket whose socket does not answer.
      await socket.whenListening();
      writeFileSync(file, '');
      for (;;) {
        signal.throwIfAborted();
        const ahead = this.#before(name);
        if (ahead === undefined) return ticket;
        await waitUntilGone(socketNameOf(ahead), signal);
        // A process that was killed has left its ticket behind.
        rmSync(join(this.#folder, ahead), { force: true });
      }
    } catch (error) {
      ticket.leave();
      throw error;
    }
  }

  #before(ticket: string): string | undefined {
    return readdirSync(this.#folder)
      .filter((name) => name.startsWith(this.#begins) && name < ticket)
      .toSorted()
      .at(-1);
  }
}

function socketNameOf(ticket: string): string {
  return `door-${ticket.slice(-32)}`;
}

function waitUntilGone(name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      connection.stop();
      reject(signal.reason as Error);
    };
    const connection = connectToEnd(name, true, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
