import type { Synchronizers } from '../../index.ts';
import { BAD_INITIALS, monitorArgumentCases } from '../cases/arguments/monitor-argument-cases.ts';
import { monitorConditionCases } from '../cases/monitor/monitor-condition-cases.ts';
import { monitorDepartureCases } from '../cases/monitor/monitor-departure-cases.ts';
import { monitorSectionCases } from '../cases/monitor/monitor-section-cases.ts';
import { monitorStateCases } from '../cases/monitor/monitor-state-cases.ts';
import { waitUntilCases } from '../cases/monitor/wait-until-cases.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import { suiteOf } from './suite.ts';

/** The monitor: sections, conditions, a guarded state. */
export const monitorSuite = suiteOf<'monitor'>(
  'monitor',
  monitorStateCases,
  monitorSectionCases,
  monitorConditionCases,
  waitUntilCases,
  monitorDepartureCases,
  monitorArgumentCases,
  outageCases(async (client, name) => {
    const monitor = client.monitor(name, { initial: 0 });
    await monitor.run(() => undefined);
    return [(timeoutMs) => monitor.run(() => undefined, { timeoutMs })];
  }),
  nameCases({
    make: (client: Synchronizers<'monitor'>, name) => client.monitor(name, { initial: 0 }),
    use: (monitor) => monitor.run((m) => m.set(m.state + 1)),
    badOptions: BAD_INITIALS,
    makeWith: (client, name, options) => client.monitor(name, options as { initial: number }),
  }),
);
