import type { Synchronizers } from '../../src/index.ts';
import { assemble } from '../../src/kernels/assemble.ts';
import { openContext } from '../../src/kernels/context.ts';
import { checkEngineOptions } from '../../src/kernels/engine-options.ts';
import { ReliableCells } from '../../src/kernels/cells/reliable-cells.ts';
import { remoteProtocols } from '../../src/kernels/cells/remote-protocols.ts';
import type { Traits } from '../../src/spi/engine/traits.ts';
import type { HarnessClientOptions } from '../../src/testing/index.ts';
import type { Surroundings } from './memory-harness.ts';
import { type Life, MortalMemoryHarness } from './mortal-memory-harness.ts';
import { WireToMemory } from './wire-to-memory.ts';

const COMMAND_TIMEOUT_MS = 1000;
const SESSION_MS = 30_000;
/** For so long the store remembers requests, to tell late copies of them. */
const REMEMBERED_MS = 2 * COMMAND_TIMEOUT_MS + 1001;

const traits = {
  wakeUp: 'push',
  clock: 'server',
  crash: 'session',
  waiters: 'fleet',
  permitOrder: 'fleet',
  keyspace: 'by-kind',
  leaseGranularityMs: 0,
  scope: 'fleet',
} as const satisfies Traits;

/** The kernels for engines that are elsewhere, on a store that is in this process after all. */
export class WiredMemoryHarness extends MortalMemoryHarness {
  override readonly engine = 'wired';
  readonly #latencyMs: number;
  readonly #wires = new WeakMap<Synchronizers, WireToMemory>();

  constructor(surroundings: Surroundings, latencyMs: number) {
    super(surroundings);
    this.#latencyMs = latencyMs;
  }

  loseNextReply(client: Synchronizers): void {
    this.#wires.get(client)?.loseNextReply();
  }

  silence(client: Synchronizers): () => void {
    return this.#wires.get(client)!.silence();
  }

  override async leftovers(): Promise<readonly string[]> {
    await this.time.sleep(REMEMBERED_MS);
    return super.leftovers();
  }

  protected override give(options: HarnessClientOptions, { clock, random, link }: Life): Synchronizers {
    const { engine } = this;
    checkEngineOptions(options, [], engine);
    const wire = new WireToMemory(link, this.surroundings.clock, this.#latencyMs);
    const sessions = { store: wire, ttlMs: SESSION_MS };
    const context = openContext({ engine, options, clock, random, sessions });
    const cells = new ReliableCells(context.client, context.session, wire, {
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
    });
    const client = assemble(context, { traits, protocols: remoteProtocols(cells) });
    this.#wires.set(client, wire);
    return client;
  }
}
