import { Checkers } from './checkers.ts';
import type { Dice } from './dice.ts';
import { History } from './history.ts';
import { FAIR_WEATHER, Network, type Weather } from './network.ts';
import type { Plant } from './plant.ts';
import { Process } from './process.ts';
import { Server } from './server.ts';
import { simulatedEngine } from './simulated-engine.ts';
import { SimulatedWire } from './wire.ts';
import { type Surroundings, type Work, workUntilOver } from './worker.ts';
import type { World } from './world.ts';

/** How far a process's clock may run off: less than the safety margin of a hold allows for. */
const CLOCK_ERROR = 0.005;

interface Member {
  readonly process: Process;
  readonly at: Surroundings;
  /** Workers that have not come to their end. */
  busy: number;
}

/** A server, a network, and the processes that come and go. */
export class Fleet {
  readonly world: World;
  readonly server: Server;
  readonly network: Network;
  readonly history: History;
  readonly checkers: Checkers;
  readonly #plant: Plant;
  readonly #work: Work;
  readonly #calm: boolean;
  readonly #until: number;
  readonly #members: Member[] = [];
  readonly #dice: Dice;

  constructor(
    world: World,
    plant: Plant,
    work: Work,
    options: { readonly weather: Weather; readonly until: number },
  ) {
    this.world = world;
    this.#plant = plant;
    this.#work = work;
    this.#until = options.until;
    this.#calm = options.weather === FAIR_WEATHER;
    this.#dice = world.dice.fork();
    this.server = new Server(world, plant);
    this.network = new Network(world, options.weather);
    this.history = new History(world);
    this.checkers = new Checkers(this.history, this.server);
  }

  /** Processes that are alive. */
  get alive(): readonly Process[] {
    return this.#members.map(({ process }) => process).filter((process) => !process.dead);
  }

  start(workers: number): void {
    const dice = this.#dice.fork();
    const rate = dice.between(1 - CLOCK_ERROR, 1 + CLOCK_ERROR);
    const process = new Process(this.world, `p${this.#members.length}`, rate);
    this.world.note(() => `${process.name} starts`);
    const wire = new SimulatedWire(process, this.network, this.server);
    const engine = simulatedEngine(process, wire, dice.fork(), this.#plant);
    const { network, history, checkers } = this;
    const at = { process, engine, network, history, checkers, dice, until: this.#until, calm: this.#calm };
    const member: Member = { process, at, busy: workers };
    this.#members.push(member);
    for (let worker = 0; worker < workers; worker++) {
      void workUntilOver({ ...at, dice: dice.fork() }, this.#work).then(() => member.busy--);
    }
  }

  /** Those whose workers have not come to an end although nothing hinders them. */
  stuck(): readonly string[] {
    return this.#members
      .filter(({ process, busy }) => !process.dead && busy > 0)
      .map(({ process, busy }) => `${process.name} (${busy} workers)`);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#members.filter(({ process }) => !process.dead).map(({ at }) => at.engine.close()),
    );
  }
}
