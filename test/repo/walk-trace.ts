import { EventEmitter } from 'node:events';
import { console as inspectorConsole, type Runtime, Session } from 'node:inspector';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lock } from '../../src/index.ts';
import { type PgPoolLike, postgres } from '../../src/engines/postgres/index.ts';
import { redis } from '../../src/engines/redis/index.ts';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** One call of ours that is on the stack. */
export interface Frame {
  readonly call: string;
  /** Relative to `src/`. */
  readonly file: string;
}

/**
 * The calls of `src/` that led to a point, the outermost first. Through the inspector, which also knows the calls that awaited
 * what goes on now: an `Error` has only those since the last turn of the loop.
 */
class StackReader implements Disposable {
  readonly #session = new Session();
  #read: Runtime.StackTrace | undefined;

  constructor() {
    this.#session.connect();
    this.#session.on('Runtime.consoleAPICalled', ({ params }) => {
      this.#read = params.stackTrace;
    });
    this.#session.post('Runtime.enable');
    this.#session.post('Debugger.enable');
    this.#session.post('Debugger.setAsyncCallStackDepth', { maxDepth: 32 });
  }

  read(): readonly Frame[] {
    // The console of the inspector: it prints nothing, and its event carries the stack.
    inspectorConsole.debug('here');
    const frames: Frame[] = [];
    for (let trace = this.#read; trace !== undefined; trace = this.#awaiting(trace)) {
      const ours = trace.callFrames.flatMap((frame) => frameOf(frame) ?? []);
      // A function that awaited is the last of this part and the first of the next.
      const [first] = ours;
      const last = frames.at(-1);
      if (first !== undefined && first.call === last?.call && first.file === last.file) ours.shift();
      frames.push(...ours);
    }
    return frames.toReversed();
  }

  /** The calls that awaited the outermost of these. */
  #awaiting({ parent, parentId }: Runtime.StackTrace): Runtime.StackTrace | undefined {
    let awaiting = parent;
    if (awaiting === undefined && parentId !== undefined) {
      this.#session.post('Debugger.getStackTrace', { stackTraceId: parentId }, (_error, answer) => {
        awaiting = answer?.stackTrace;
      });
    }
    return awaiting;
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }
}

function frameOf({ functionName, url }: Runtime.CallFrame): Frame | undefined {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!path.startsWith(src)) return undefined;
  return { call: functionName || '(anonymous)', file: path.slice(src.length).replaceAll(sep, '/') };
}

/** What a fake client reports: the calls that led to the request which is being traced. */
class Tracer {
  #trace: readonly Frame[] | undefined;
  #reader: StackReader | undefined;

  /** To be called where a request leaves the library. */
  requested(): void {
    this.#trace ??= this.#reader?.read();
  }

  /** The calls from `lock.acquire()` to its first request, with a client that has done this before. */
  async traceAcquire(lock: Lock): Promise<readonly Frame[]> {
    for (let pair = 0; pair < 3; pair++) await (await lock.acquire()).release();
    this.#reader = new StackReader();
    const hold = await lock.acquire();
    this.#reader[Symbol.dispose]();
    await hold.release();
    return this.#trace ?? [];
  }
}

/** As an ioredis client, to a server where every lock is free. There is no network: all calls on the stack are ours. */
class FakeIoredis extends EventEmitter {
  readonly status = 'ready';
  readonly mode = 'normal';
  readonly options = { host: 'nowhere', port: 1 };
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    super();
    this.#tracer = tracer;
  }

  async call(...command: readonly string[]): Promise<unknown> {
    this.#tracer.requested();
    if (!command[0]!.startsWith('EVAL')) return 'OK';
    // The script that acquires has four keys and answers the fence; the one that releases has two, and answers who heard.
    return command[2] === '4' ? Date.now() * 1000 : 0;
  }

  duplicate(): FakeIoredis {
    return new FakeIoredis(this.#tracer);
  }

  async connect(): Promise<void> {}
  async subscribe(): Promise<void> {}
  async unsubscribe(): Promise<void> {}
  async psubscribe(): Promise<void> {}
  async punsubscribe(): Promise<void> {}
  async ssubscribe(): Promise<void> {}
  async sunsubscribe(): Promise<void> {}
  disconnect(): void {}
  pipeline(): never {
    throw new Error('no pipeline is expected on this path');
  }
}

/** As a pool of `pg`, to a database whose rows are all empty. */
function fakePool(tracer: Tracer): PgPoolLike {
  const query = async (asked: { readonly text: string }) => {
    tracer.requested();
    const text = asked.text.trim();
    const now = String(Date.now());
    if (text.includes('holdfast_schema')) return resultOf(['1', '0']);
    return resultOf(
      /^(?:with|update|insert)/i.test(text) ? ['1', now, null, null, null] : [now, null, null, null],
    );
  };
  const events = { on() {}, off() {}, once() {}, removeListener() {} };
  const connection = { ...events, query, release() {} };
  const pool = {
    ...events,
    query,
    connect: async () => connection,
    end: async () => undefined,
    totalCount: 0,
    idleCount: 0,
    waitingCount: 0,
    options: { max: 5 },
    Client: EventEmitter,
  };
  return pool;
}

function resultOf(row: readonly (string | null)[]): object {
  return { rows: [row], rowCount: 1, command: 'SELECT', fields: [] };
}

/** An uncontended acquire on Redis, down to the client. */
export async function walkOnRedis(): Promise<readonly Frame[]> {
  const tracer = new Tracer();
  const locks = redis({ client: new FakeIoredis(tracer) });
  const frames = await tracer.traceAcquire(locks.lock('a'));
  await locks.close();
  return frames;
}

/** The same on PostgreSQL. */
export async function walkOnPostgres(): Promise<readonly Frame[]> {
  const tracer = new Tracer();
  const locks = postgres({ pool: fakePool(tracer) });
  const frames = await tracer.traceAcquire(locks.lock('a'));
  await locks.close();
  return frames;
}
