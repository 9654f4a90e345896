import type { Facts } from '../../src/spi/rule.ts';
import type { AcquireAsk } from '../../src/spi/verbs/holding.ts';
import { Difference, expectSame } from './difference.ts';
import type { Fenced, HoldingKind, Stepped } from './holding-kind.ts';
import type { HoldingProgram } from './holding-programs.ts';
import { TOLERANCE_MS } from './model-time.ts';
import { type ProgramWorld, RETENTION_MS } from './program-world.ts';
import type { Stored } from './stored.ts';

const NEVER = Number.MAX_SAFE_INTEGER;
const JAVA_TOKEN = 41;
/** Far more than any program asks for, and far less than the retention. */
const LONGEST_LEASE_MS = RETENTION_MS / 2;
/** A grant puts the end of the last fence off only once in a sixteenth of the retention, and for a lease that is as long. */
const LEAST_RETENTION_MS = (RETENTION_MS * 7) / 8;

/** The state of the model beside what Redis keeps. */
export class ComparedState<S extends Fenced, Ask extends AcquireAsk> {
  current: S;
  readonly #kind: HoldingKind<S, Ask>;
  readonly #world: ProgramWorld;
  readonly #program: HoldingProgram;
  /** What Redis kept before this step, and what it keeps since the last command. */
  #before!: Stored;
  #after!: Stored;

  constructor(kind: HoldingKind<S, Ask>, world: ProgramWorld, program: HoldingProgram) {
    this.#kind = kind;
    this.#world = world;
    this.#program = program;
    this.current = kind.free;
  }

  async begin(): Promise<void> {
    const { keys, name } = this.#world;
    if (this.#program.javaToken) {
      await this.#world.command(keys.token(name), 'SET', JAVA_TOKEN);
      this.current = { ...this.current, fence: JAVA_TOKEN };
    }
    await this.look();
    this.#before = this.#after;
  }

  /** Reads what Redis keeps now. */
  async look(): Promise<void> {
    this.#after = await this.#world.stored();
  }

  /** When Redis was read before this step. */
  get beforeMs(): number {
    return this.#before.atMs;
  }

  /** The last fence, as Redis has it. */
  get token(): number {
    return Number(this.#after.text(this.#world.keys.token(this.#world.name)) ?? 0);
  }

  /**
   * What the rule is given. Fences follow the server's clock, which is not the program's; of the real fence only the
   * place within the time between two looks at the server is taken over, so that one out of place shows.
   */
  facts(now = this.#world.now, fence?: number): Facts {
    const earliest = this.#before.atMs * 1000;
    const latest = (this.#after.atMs + 1) * 1000;
    return {
      now,
      dead: { has: () => false, endsInMs: () => NEVER },
      fenceFloor: fence === undefined ? 0 : Math.min(Math.max(fence, earliest), latest) - 1,
      upMs: 0,
    };
  }

  step<A>({ state, answer, sent = [] }: Stepped<S, A>): A {
    this.current = state;
    this.#world.expectSent(sent);
    return answer;
  }

  /** After each step of the program. */
  compare(): void {
    const { now, keys, name } = this.#world;
    const kind = this.#kind;
    expectSame('what is stored', kind.stored(this.#after, this.#world), kind.expected(this.current, now));
    const { fence } = this.current;
    expectSame('the last fence', this.token, fence);
    this.#compareRetention(fence, this.#after.remainingMs(keys.token(name)));
    this.#before = this.#after;
  }

  /**
   * The last fence is kept for a while after the hold, and one that is ahead of the clock until the clock has caught up
   * (soundness 8); one that Java keeps without end is kept without end (soundness 9).
   */
  #compareRetention(fence: number, keptMs: number): void {
    if (fence === 0) return;
    const isEndless = this.#program.fencesKeptForEver || this.#program.javaToken;
    expectSame('whether the last fence is kept without end', keptMs === Infinity, isEndless);
    const aheadMs = Math.max(0, fence / 1000 - this.#after.atMs);
    const heldMs = this.#kind.fencedMs?.(this.current, this.#world.now) ?? 0;
    // For how long was asked last, no state remembers.
    const isKept = keptMs >= LEAST_RETENTION_MS + Math.max(aheadMs, heldMs) - TOLERANCE_MS;
    const mostMs = RETENTION_MS + aheadMs + LONGEST_LEASE_MS + TOLERANCE_MS;
    if (isEndless || (isKept && keptMs <= mostMs)) return;
    throw new Difference('how long the last fence is kept', keptMs, RETENTION_MS + aheadMs + heldMs);
  }
}
