import { describe } from 'vitest';
import { describeCurator } from '../java-build.ts';
import { accessCells } from './access-cells.ts';
import { countCells } from './count-cells.ts';
import type { CuratorVersion } from './curator.ts';
import { downgradeCells } from './downgrade-cells.ts';
import { electionCells } from './election-cells.ts';
import { endCells } from './end-cells.ts';
import { breaks, crowds, handOvers, strangers } from './hold-cells.ts';
import { EXCLUSIVE, KINDS, OWNED } from './kinds.ts';
import { lineCells } from './line-cells.ts';
import { reentry } from './reentry-cells.ts';
import { revocationCells } from './revocation-cells.ts';
import { semaphoreCells } from './semaphore-cells.ts';
import { curatorStage } from './stage.ts';

/** Every recipe in both directions, with one version of Curator. */
export function curatorTable(version: CuratorVersion): void {
  describeCurator(version, () => {
    const stage = curatorStage(version);
    describe.concurrent.each(KINDS)('$title', (kind) => {
      handOvers(stage, kind);
    });
    describe.concurrent.each(EXCLUSIVE)('$title', (kind) => {
      crowds(stage, kind);
    });
    describe.concurrent.each(OWNED)('$title', (kind) => {
      reentry(stage, kind);
      strangers(stage, kind);
      breaks(stage, kind);
    });
    describe.concurrent('line', () => {
      lineCells(stage);
      downgradeCells(stage);
      accessCells(stage);
    });
    describe.concurrent('semaphore', () => {
      semaphoreCells(stage);
    });
    describe.concurrent('election', () => {
      electionCells(stage);
    });
    describe.concurrent('latch', () => {
      countCells(stage);
    });
    describe.concurrent('revocation', () => {
      revocationCells(stage);
    });
    describe('one of everything', () => {
      endCells(stage);
    });
  });
}
