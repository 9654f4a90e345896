import { conformance } from 'holdfast/testing';
import { MapHarness } from '../../../examples/map-engine/map-harness.ts';
import { virtualSurroundings } from '../../engines/virtual-surroundings.ts';

/** Of Jest, which gives them to every test as globals. */
declare const describe: (name: string, body: () => void) => void;
declare const test: ((name: string, body: () => Promise<void>, timeoutMs: number) => void) & {
  skip(name: string, body: () => void): void;
};

// The engine that docs/adding-an-engine.md builds, on a virtual clock.
conformance({
  describe,
  test: Object.assign((name: string, body: () => Promise<void>) => test(name, body, 60_000), {
    skip: (name: string, body: () => void) => test.skip(name, body),
  }),
  harness: new MapHarness(virtualSurroundings()),
});
