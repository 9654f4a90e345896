// Many tasks of one process take one lock, each again as soon as it has left, until the test stops them.
import { type ClientName, openLocks, type Place } from '../open-locks.ts';
import { asked, plan, tell } from './tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly name: string;
  readonly tasks: number;
  /** How long each of them holds it, at least. */
  readonly sectionMs?: number;
}

const { client, place, name, tasks, sectionMs = 0 } = plan() as Plan;
const locks = await openLocks(client, place);
let working = true;
let sections = 0;

const all = Array.from({ length: tasks }, async () => {
  while (working) {
    await locks.lock(name).run(() => new Promise((resolve) => setTimeout(resolve, sectionMs)));
    sections += 1;
    if (sections === 2 * tasks) tell('hammering');
  }
});
await asked();
working = false;
await Promise.all(all);
await locks.close();
tell('ended', { sections });
