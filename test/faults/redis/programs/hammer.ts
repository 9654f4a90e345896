// Many tasks of one process take one lock, each again as soon as it has left, until they are told to stop.
import { type ClientName, openLocks, type Place } from '../open-locks.ts';
import { asked, plan, tell } from './tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly name: string;
  readonly tasks: number;
}

const { client, place, name, tasks } = plan() as Plan;
const locks = await openLocks(client, place);
let working = true;
let sections = 0;

const all = Array.from({ length: tasks }, async () => {
  while (working) {
    await locks.lock(name).run(() => new Promise((resolve) => setImmediate(resolve)));
    sections += 1;
    if (sections === 100) tell('hammering');
  }
});
await asked();
working = false;
await Promise.all(all);
await locks.close();
tell('ended', { sections });
