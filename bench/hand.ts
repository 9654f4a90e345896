// A process of a fleet: plays a role with a library, and calls the methods of the role that its parent asks for. Ends with
// the connection to its parent.
import { roles } from './roles/index.ts';

const [roleName = '', library = '', port, folder = ''] = process.argv.slice(2);
const open = Object.entries(roles).find(([name]) => name === roleName)?.[1];
if (open === undefined) throw new RangeError(`there is no role ${roleName}`);

const role = open(library, Number(port), folder);
process.on('message', ({ method, args }: { method: string; args: unknown[] }) => void answer(method, args));
process.on('disconnect', () => process.exit());

async function answer(method: string, args: unknown[]): Promise<void> {
  const methods = (await role) as Record<string, (...args: unknown[]) => unknown>;
  process.send?.((await methods[method]?.(...args)) ?? null);
}
