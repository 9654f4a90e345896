// Takes a lock and keeps it until it is asked to end, killed or stopped. Tells when its hold is lost.
import { asked, plan, tell } from '../../redis/programs/tell.ts';
import { type DatabasePlan, openDatabase } from './plan.ts';

const { name, ...database } = plan() as DatabasePlan & { readonly name: string };
const locks = await openDatabase(database);
const hold = await locks.lock(name).acquire();
hold.lost.addEventListener('abort', () => tell('lost'));
tell('held', { fence: hold.fence });
await asked();
await locks.end();
tell('ended');
