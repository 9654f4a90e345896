import type { RelayEnd } from '../relay-end.ts';
import { startGo } from './go.ts';

const MUTEX = '/go/relay';

/** Go takes the times itself, on the clock that all processes of a machine share. */
export async function goRelay(port: number): Promise<RelayEnd> {
  const go = await startGo(port);
  const session = await go.open();
  let entering: Promise<unknown> | undefined;
  const enter = (): Promise<unknown> => session.call('enter', MUTEX);
  return {
    hold: async () => void (await enter()),
    ask: async () => void (entering = enter()),
    letGo: async (afterMs) =>
      Number(await session.call('leave', MUTEX, { afterUs: Math.round(afterMs * 1000) })),
    entered: async () => Number(await entering),
    giveBack: async () => void (await session.call('unlock', MUTEX)),
  };
}
