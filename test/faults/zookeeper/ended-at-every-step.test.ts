import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openZooKeeper } from '../../../src/engines/zookeeper/open-zookeeper.ts';
import type { Synchronizers } from '../../../src/index.ts';
import { endAtEveryStep, type Footing } from '../../fixtures/ended-at-every-step.ts';
import { useEverySynchronizer } from '../../fixtures/every-synchronizer.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FrameProxy } from '../../fixtures/zookeeper/frame-proxy.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Of fewer steps most of the scenario has not run. */
const LEAST_STEPS = 100;
/** Several hundred frames: `npm run test:every-step` ends the client at each of them, in minutes. */
const USUAL_STRIDE = 40;
const SESSION_MS = 20_000;

const GROUNDS = {
  /** The connections break, and no server is there any more. */
  gone: (proxy: FrameProxy): void => proxy.stop(),
  /** The server ends the session, as an administrator can. */
  'ended session': (proxy: FrameProxy): void => void proxy.endSession(),
};

// A client uses every synchronizer at once. Once for each frame, the engine object closes, or what it stands on ends under it, before
// that frame passes.
describeZooKeeper('no rejection is unhandled, and no connection left, when it ends at any frame:', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop());

  async function open(
    label: string,
    step: () => void,
    endGround: (proxy: FrameProxy) => void,
  ): Promise<Footing<Synchronizers>> {
    const proxy = await FrameProxy.start(server, step);
    const options = { servers: proxy.address, sessionMs: SESSION_MS, label };
    const engine = openZooKeeper(options, { clock: systemClock, random: systemRandom });
    return {
      engine: engine as unknown as Synchronizers,
      endUnderneath: () => endGround(proxy),
      leave: async () => {
        await waitFor('the connection is closed', () => proxy.open === 0);
        proxy.stop();
      },
    };
  }

  test.each([
    ['engine', 'gone'],
    ['underneath', 'gone'],
    ['both', 'gone'],
    ['underneath', 'ended session'],
  ] as const)('%s, %s', async (end, ground) => {
    const steps = await endAtEveryStep({
      end,
      use: useEverySynchronizer,
      usualStride: USUAL_STRIDE,
      open: (label, step) => open(label, step, GROUNDS[ground]),
    });
    expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_STEPS);
  });
});
