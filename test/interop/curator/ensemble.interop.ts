import { describe } from 'vitest';
import { startEnsemble } from '../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeCurator } from '../java-build.ts';
import { countCells } from './count-cells.ts';
import { electionCells } from './election-cells.ts';
import { crowds, handOvers } from './hold-cells.ts';
import { EXCLUSIVE, KINDS } from './kinds.ts';
import { leaderCells } from './leader-cells.ts';
import { lineCells } from './line-cells.ts';
import { semaphoreCells } from './semaphore-cells.ts';
import { curatorStage } from './stage.ts';

/** Both sides choose their servers by chance: what one of them is answered, the server of the other may show later. */
describeCurator('curator-5-9, an ensemble of three', () => {
  const stage = curatorStage('curator-5-9', () => startEnsemble());
  describe.concurrent.each(KINDS)('$title', (kind) => {
    handOvers(stage, kind);
  });
  describe.concurrent.each(EXCLUSIVE)('$title', (kind) => {
    crowds(stage, kind);
  });
  describe.concurrent('line', () => {
    lineCells(stage);
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
  describe('its leader is killed', () => {
    leaderCells(stage);
  });
});
