import { describe } from 'vitest';
import { describeCurator } from '../java-build.ts';
import { accessCells } from './access-cells.ts';
import type { CuratorVersion } from './curator.ts';
import { downgradeCells } from './downgrade-cells.ts';
import { endCells } from './end-cells.ts';
import { breaks, strangers } from './hold-cells.ts';
import { OWNED } from './kinds.ts';
import { recipes } from './recipes.ts';
import { reentry } from './reentry-cells.ts';
import { revocationCells } from './revocation-cells.ts';
import { curatorStage } from './stage.ts';

/** Every recipe in both directions, with one version of Curator. */
export function curatorTable(version: CuratorVersion): void {
  describeCurator(version, () => {
    const stage = curatorStage(version);
    recipes(stage);
    describe.concurrent.each(OWNED)('$title', (kind) => {
      reentry(stage, kind);
      strangers(stage, kind);
      breaks(stage, kind);
    });
    describe.concurrent('line', () => {
      downgradeCells(stage);
      accessCells(stage);
    });
    describe.concurrent('revocation', () => {
      revocationCells(stage);
    });
    describe('one of everything', () => {
      endCells(stage);
    });
  });
}
