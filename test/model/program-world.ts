import { Client } from '../../src/core/client.ts';
import { Scripts } from '../../src/engines/redis/requests/scripts.ts';
import { Channels } from '../../src/engines/redis/messages/channels.ts';
import { Keys } from '../../src/engines/redis/keys.ts';
import { PubSubMode } from '../../src/engines/redis/messages/pub-sub-mode.ts';
import type { RedisContext } from '../../src/engines/redis/redis-context.ts';
import type { Reply } from '../../src/engines/redis/driver.ts';
import { expectSame, TooSlow } from './difference.ts';
import type { Sent } from './heard-messages.ts';
import type { ModelStage } from './model-stage.ts';
import { COMMAND_TIMEOUT_MS, TICK_MS, TOO_SLOW_MS, UNIT_MS } from './model-time.ts';
import { ProgramClock } from './program-clock.ts';
import { ProgramDriver } from './program-driver.ts';
import { shaOf } from './script-sources.ts';
import { DUMP, PASS, Stored } from './stored.ts';

const [DUMP_SHA, PASS_SHA] = [shaOf(DUMP), shaOf(PASS)];

/** What a Java program would have set as its `fairLockWaitTimeout`. */
export const JAVA_WAIT_MS = 4 * UNIT_MS;
export const RETENTION_MS = 1000 * UNIT_MS;

/** Where one program runs: a name on a server, clients that share a clock and a wire, and what was published. */
export class ProgramWorld {
  readonly name: string;
  readonly keys = new Keys('');
  readonly driver: ProgramDriver;
  /** The program's time. */
  now = 0;
  readonly #stage: ModelStage;
  readonly #clock = new ProgramClock();
  readonly #sent: Sent[] = [];
  #startedAt: number | undefined;
  #ids = 0;

  constructor(stage: ModelStage, instead: ReadonlyMap<string, string> = new Map()) {
    this.#stage = stage;
    this.name = stage.nextName();
    this.driver = new ProgramDriver({
      inner: stage.driver,
      instead,
      programNow: () => this.now,
      unanswered: () => {
        setImmediate(() => void this.pass(TICK_MS));
      },
    });
  }

  /** The parts of another client. */
  parts({ fencesKeptForEver }: { readonly fencesKeptForEver: boolean }): RedisContext {
    const { driver } = this;
    const random = {
      id: () => `${(this.#ids += 1).toString(16).padStart(28, '0')}0000`,
      fraction: () => 0.5,
    };
    const client = new Client({
      label: 'model',
      clock: this.#clock,
      random,
      renewalLeaseMs: UNIT_MS,
      maxHoldMs: Infinity,
    });
    return {
      client,
      scripts: new Scripts({ client, driver, commandTimeoutMs: COMMAND_TIMEOUT_MS, confirming: undefined }),
      channels: new Channels({ client, open: () => driver.openSubscriber(), patienceMs: COMMAND_TIMEOUT_MS }),
      keys: this.keys,
      pubSub: new PubSubMode({ driver, option: 'plain', clock: client.clock, timeoutMs: COMMAND_TIMEOUT_MS }),
      fenceRetentionMs: fencesKeptForEver ? 0 : RETENTION_MS,
      cellRetentionMs: fencesKeptForEver ? 0 : RETENTION_MS,
      fairLockWaitMs: JAVA_WAIT_MS,
      // No client listens in a program.
      foreignAbsentMs: 0,
    };
  }

  /** A number that was not used before. */
  nextId(): number {
    return (this.#ids += 1);
  }

  /** A command of another client: of Java, as the model has it. */
  command(key: string, ...words: readonly (string | number)[]): Promise<Reply> {
    this.driver.keys.add(key);
    const [verb = '', ...rest] = words.map(String);
    return this.#stage.driver.send(this.name, [verb, key, ...rest]);
  }

  /** Java publishes too. */
  publish(channel: string, payload: string): Promise<Reply> {
    return this.#stage.driver.send(this.name, ['PUBLISH', channel, payload]);
  }

  /** What the model says was published. */
  expectSent(sent: readonly Sent[]): void {
    this.#sent.push(...sent);
  }

  async pass(ms: number): Promise<void> {
    // The last fence is not of this time: it follows the server's own clock.
    const keys = [...this.driver.keys].filter((key) => key !== this.keys.token(this.name));
    await this.#stage.driver.send(this.name, ['EVALSHA', PASS_SHA, String(keys.length), ...keys, String(ms)]);
    this.now += ms;
    this.driver.movedMs += ms;
    this.#clock.advance(ms);
  }

  async stored(): Promise<Stored> {
    const keys = [...this.driver.keys];
    const reply = await this.#stage.driver.send(this.name, [
      'EVALSHA',
      DUMP_SHA,
      String(keys.length),
      ...keys,
    ]);
    const stored = new Stored(reply);
    this.#startedAt ??= stored.atMs;
    if (stored.atMs - this.#startedAt > TOO_SLOW_MS) throw new TooSlow();
    return stored;
  }

  /** Whether the server would now find that a request came too late; undefined if real time would decide it. */
  isLate(notAfterMs: number, atMs: number): boolean | undefined {
    const lateMs = atMs + this.driver.movedMs - notAfterMs;
    return Math.abs(lateMs) < 2 * TOO_SLOW_MS ? undefined : lateMs > 0;
  }

  /** What was published is what the model says, nothing else was left behind, and whatever is left ends by itself. */
  async end(): Promise<void> {
    const { name, driver, keys } = this;
    const heard = await this.#stage.messages.about(name, (channel, payload) =>
      this.publish(channel, payload),
    );
    expectSame('what was published', heard, this.#sent);
    const left = (await this.#stage.driver.send(name, ['KEYS', `*{${name}}*`])) as readonly string[];
    const unknown = left.filter((key) => !driver.keys.has(key));
    expectSame('keys that no script was called with', unknown, []);
    const stored = await this.stored();
    for (const mark of stored.keys().filter((key) => key.startsWith('holdfast_'))) {
      expectSame(`${mark} ends by itself`, Number.isFinite(stored.remainingMs(mark)), true);
    }
    await this.#stage.driver.send(name, ['DEL', name, keys.token(name), ...driver.keys]);
  }
}
