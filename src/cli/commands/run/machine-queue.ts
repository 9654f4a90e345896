import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { systemClock, systemRandom } from '../../../core/time/clock.ts';

/** One position in the queue. */
export interface QueueTicket {
  /** Lets the next one in. */
  leave(): void;
}

/**
 * The queue of the processes of one machine that wait for the same name in the same file, before they ask the file.
 *
 * Two hundred processes that all write themselves into one row of SQLite undo each other's writes, and the one that wants
 * to give the lock back comes to nothing among them. Here each waits for the end of a connection to the one right before
 * it, which costs nothing, and only the first goes to the file. It is an order of courtesy and keeps no process out: one that
 * cannot find it, or goes past it, meets the others in the file, where the lock is.
 */
export class MachineQueue {
  readonly #folder: string;
  readonly #begins: string;

  /** One for each thing in each database. */
  constructor(database: string, thing: string) {
    const door = createHash('sha256').update(thing).digest('hex').slice(0, 16);
    this.#folder = dirname(database);
    this.#begins = `${basename(database)}-door-${door}-`;
  }

  /** Waits until no ticket is before this one. Throws the reason of the signal. */
  async enter(signal: AbortSignal): Promise<QueueTicket> {
    const ticket = `${this.#begins}${String(Math.floor(systemClock.epochNow() * 1000)).padStart(18, '0')}-${systemRandom.id()}`;
    const socket = new QueueSocket(addressOf(ticket));
    const file = join(this.#folder, ticket);
    const place: QueueTicket = {
      leave: () => {
        rmSync(file, { force: true });
        socket.ring();
      },
    };
    try {
      // Written when its socket already listens: a ticket without an answering process is swept away.
      await socket.isThere();
      writeFileSync(file, '');
      for (;;) {
        signal.throwIfAborted();
        const ahead = this.#before(ticket);
        if (ahead === undefined) return place;
        await untilGone(addressOf(ahead), signal);
        // A killed process has left it behind.
        rmSync(join(this.#folder, ahead), { force: true });
      }
    } catch (error) {
      place.leave();
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

function addressOf(ticket: string): string {
  const id = ticket.slice(-32);
  if (process.platform === 'linux') return `\0holdfast-door-${id}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\holdfast-door-${id}`;
  return join(tmpdir(), `holdfast-door-${id}.sock`);
}

/** Where the next one waits for us. Nothing is said on a connection; that it ends is the news. */
class QueueSocket {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(address: string) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.resume();
    });
    this.#server.listen(address);
  }

  isThere(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('listening', resolve);
      this.#server.once('error', reject);
    });
  }

  ring(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

function untilGone(address: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    const stop = (): void => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    socket.resume();
  });
}
