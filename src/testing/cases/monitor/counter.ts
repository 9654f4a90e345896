import type { Monitor, Synchronizers } from '../../../index.ts';

/** A client that offers monitors. */
export type MonitorClient = Synchronizers<'monitor'>;

/** A monitor that guards a number, 0 at first. */
export const counter = (client: MonitorClient, name: string): Monitor<number> =>
  client.monitor(name, { initial: 0 });
