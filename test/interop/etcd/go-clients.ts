import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isStopped } from '../../fixtures/processes/server-process.ts';
import { setWarden } from '../../fixtures/processes/warden.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

/** What `npm run test:interop` builds. */
export const goProgram = fileURLToPath(new URL('../../../.build/interop-go/etcd-clients', import.meta.url));

interface GoAnswer {
  readonly id?: number;
  readonly ready?: true;
  readonly value?: unknown;
  readonly error?: string;
}

interface PendingLine {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A Go process with clients of `clientv3/concurrency`, see test/interop/go/etcd. */
export class GoClients {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;
  readonly #asked = new Map<number, PendingLine>();
  #ids = 0;
  #sessions = 0;
  #isReady: () => void = () => undefined;

  private constructor(endpoints: string, binary: string) {
    this.#child = spawn(binary, [endpoints], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#ended = once(this.#child, 'close');
    this.#ended.catch(() => undefined);
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stdout }).on('line', (line) =>
      this.#hear(JSON.parse(line) as GoAnswer),
    );
    const warden = setWarden(this.pid);
    this.#child.once('exit', () => warden.release());
    this.#child.once('close', () => {
      for (const { reject } of this.#asked.values()) reject(new Error('The Go program has ended.'));
      this.#asked.clear();
    });
  }

  static async start(endpoints: string, binary = goProgram): Promise<GoClients> {
    const clients = new GoClients(endpoints, binary);
    const ready = new Promise<void>((resolve) => {
      clients.#isReady = resolve;
    });
    await Promise.race([
      ready,
      clients.#ended.then(() => {
        throw new Error('The Go program ended before it was ready.');
      }),
    ]);
    return clients;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Each session has one key in a line: two that exclude each other need two. */
  async open(ttl = 10): Promise<GoSession> {
    const session = `s${(this.#sessions += 1)}`;
    const lease = (await this.tell({ do: 'open', session, ttl })) as string;
    return new GoSession(this, session, lease);
  }

  tell(line: object): Promise<unknown> {
    const id = (this.#ids += 1);
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    });
  }

  async pause(): Promise<void> {
    this.#child.kill('SIGSTOP');
    await waitFor('the Go program is stopped', () => isStopped(this.pid));
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  #hear({ id = 0, ready, value, error }: GoAnswer): void {
    if (ready) return this.#isReady();
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(error));
  }
}

type GoVerb =
  | 'lock'
  | 'tryLock'
  | 'unlock'
  | 'enter'
  | 'leave'
  | 'isOwner'
  | 'readLock'
  | 'readUnlock'
  | 'writeLock'
  | 'writeUnlock'
  | 'campaign'
  | 'proclaim'
  | 'resign'
  | 'leader'
  | 'done'
  | 'close'
  | 'increment'
  | 'pairs';

/** One session of Go's concurrency package. */
export class GoSession {
  readonly #clients: GoClients;
  readonly #session: string;
  /** As a key has it. */
  readonly lease: string;

  constructor(clients: GoClients, session: string, lease: string) {
    this.#clients = clients;
    this.#session = session;
    this.lease = lease;
  }

  call(verb: GoVerb, name = '', details: object = {}): Promise<unknown> {
    return this.#clients.tell({ do: verb, session: this.#session, name, ...details });
  }
}
