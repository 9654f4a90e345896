import type { Dice } from './dice.ts';
import type { Fleet } from './fleet.ts';
import { FAIR_WEATHER, type Weather } from './network.ts';

/** Weather of a run, from calm to storm. */
export function someWeather(dice: Dice): Weather {
  if (dice.chance(0.15)) return FAIR_WEATHER;
  return {
    dropChance: dice.pick([0, 0.01, 0.05, 0.15]),
    doubleChance: dice.pick([0, 0.02, 0.1]),
    slowChance: dice.pick([0, 0.02, 0.1]),
    slowestMs: dice.pick([300, 900, 2500]),
  };
}

/** Pauses, kills and cuts off processes at random, until told to stop. All of it comes from the seed. */
export function unleash(fleet: Fleet, dice: Dice, until: number): void {
  const { world, network } = fleet;
  const next = (): void => {
    if (world.now >= until) return;
    const victim = fleet.alive.length === 0 ? undefined : dice.pick(fleet.alive);
    const fault = dice.pick(['pause', 'pause', 'cut', 'kill'] as const);
    fleet.history.count(fault);
    if (victim === undefined) fleet.start(1 + dice.below(3));
    else if (fault === 'pause') {
      victim.pause();
      world.after(dice.between(20, 5000), () => victim.resume());
    } else if (fault === 'cut') {
      network.cut(victim);
      world.after(dice.between(100, 6000), () => network.heal(victim));
    } else {
      victim.kill();
      world.after(dice.between(10, 1000), () => fleet.start(1 + dice.below(3)));
    }
    world.after(dice.between(300, 4000), next);
  };
  world.after(dice.between(100, 3000), next);
}

/** The storm is over: every client goes on and can be reached. */
export function calmDown(fleet: Fleet): void {
  fleet.network.weather = FAIR_WEATHER;
  for (const process of fleet.alive) {
    process.resume();
    fleet.network.heal(process);
  }
}
