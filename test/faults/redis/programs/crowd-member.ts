// Waits for a plain lock, tells as which owner, gives the lock back when it has it, and stays.
import { type ClientName, openLocks, type Place } from '../open-locks.ts';
import { asked, plan, tell } from './tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly name: string;
}

const { client, place, name } = plan() as Plan;
const locks = await openLocks(client, place, { announce: false });
locks.on('contended', ({ owner }) => tell('waiting', { owner }));
await locks.lock(name).run(() => tell('in'));
await asked();
await locks.close();
tell('ended');
