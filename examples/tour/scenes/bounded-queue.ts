import { say } from '../screen.ts';
import type { Scene } from '../stage.ts';
import type { Errand } from '../worker.ts';

const ROOM = 3;
const PUTTING = ['north', 'south'];
const TAKING = ['ada', 'ben', 'cleo'];
const EACH = 5;
const ALL = PUTTING.length * EACH;

/** The state that the monitor guards: only one section at a time sees it, in whichever process. */
interface Belt {
  readonly parcels: readonly string[];
  readonly taken: number;
  readonly fullest: number;
}

function beltOf({ locks }: Errand) {
  return locks.monitor<Belt>('belt', { initial: { parcels: [], taken: 0, fullest: 0 } });
}

export async function put(errand: Errand): Promise<void> {
  const belt = beltOf(errand);
  for (let number = 1; number <= EACH; number++) {
    const parcel = `${errand.name} ${number}`;
    let waited = false;
    const onBelt = await belt.run(async (m) => {
      waited = m.state.parcels.length >= ROOM;
      await m.waitUntil('notFull', ({ parcels }) => parcels.length < ROOM);
      const parcels = [...m.state.parcels, parcel];
      m.set({ ...m.state, parcels, fullest: Math.max(m.state.fullest, parcels.length) });
      m.signal('notEmpty');
      return parcels.length;
    });
    await errand.ask('put', { parcel, onBelt, waited });
  }
}

export async function take(errand: Errand): Promise<void> {
  const belt = beltOf(errand);
  for (;;) {
    let waited = false;
    const taken = await belt.run(async (m) => {
      waited = m.state.parcels.length === 0;
      await m.waitUntil('notEmpty', (state) => state.parcels.length > 0 || state.taken === ALL);
      const [parcel, ...parcels] = m.state.parcels;
      if (parcel === undefined) return undefined;
      m.set({ ...m.state, parcels, taken: m.state.taken + 1 });
      m.signal('notFull');
      // The others would wait without end for a parcel that never comes.
      if (m.state.taken === ALL) m.signalAll('notEmpty');
      return { parcel, onBelt: parcels.length };
    });
    if (taken === undefined) return;
    await errand.ask('took', { ...taken, waited });
  }
}

interface Report {
  readonly parcel: string;
  readonly onBelt: number;
  readonly waited: boolean;
}

export const boundedQueue: Scene = {
  title: 'A monitor as a bounded queue',
  sentence: `Two workers put ${ALL} parcels on a belt with room for ${ROOM}; three take them off.`,
  play: async (stage) => {
    const arrived: string[] = [];
    const waited = { put: 0, took: 0 };
    const areWaiting = async (condition: string, count: number) => {
      const seen = await stage.locks.inspector.describe('monitor', 'belt');
      return seen?.kind === 'monitor' && (seen.conditions[condition] ?? 0) >= count;
    };
    const answer = async (from: string, what: string, value: unknown) => {
      const report = value as Report;
      if (report.waited) waited[what as 'put' | 'took']++;
      if (what === 'took') arrived.push(report.parcel);
      const belt = `[${'■'.repeat(report.onBelt)}${'·'.repeat(ROOM - report.onBelt)}]`;
      const why = what === 'put' ? 'had to wait: no room' : 'had to wait: nothing there';
      const done = what === 'put' ? `${report.parcel} is put` : `${from} takes ${report.parcel}`;
      say(`  ${belt} ${done}${report.waited ? ` (${why})` : ''}`);
      // The first parcels are looked at for so long that the belt fills up behind them.
      if (what === 'took' && arrived.length <= TAKING.length)
        await stage.until(async () => waited.put > 0 || (await areWaiting('notFull', 1)));
      await stage.moment(what === 'put' ? 200 : 1000);
    };
    const takers = TAKING.map((name) => stage.start('take', name, null, answer));
    await stage.until(() => areWaiting('notEmpty', TAKING.length));
    const putters = PUTTING.map((name) => stage.start('put', name, null, answer));
    await Promise.all([...takers, ...putters].map(({ done }) => done));

    const { fullest, parcels } = await stage.locks
      .monitor<Belt>('belt', { initial: { parcels: [], taken: 0, fullest: 0 } })
      .peek();
    stage.claim(
      `all ${ALL} parcels arrived, each once`,
      arrived.length === ALL && new Set(arrived).size === ALL && parcels.length === 0,
    );
    stage.claim(`the belt never held more than ${ROOM}`, fullest <= ROOM);
    stage.claim('both sides had to wait for the other', waited.put > 0 && waited.took > 0);
  },
};
