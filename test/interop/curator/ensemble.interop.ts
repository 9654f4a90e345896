import { describe } from 'vitest';
import { startEnsemble } from '../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeCurator } from '../java-build.ts';
import { leaderCells } from './leader-cells.ts';
import { recipes } from './recipes.ts';
import { curatorStage } from './stage.ts';

/** Both sides choose their servers by chance: what one of them is answered, the server of the other may show later. */
describeCurator('curator-5-9, an ensemble of three', () => {
  const stage = curatorStage('curator-5-9', () => startEnsemble());
  recipes(stage);
  describe('its leader is killed', () => {
    leaderCells(stage);
  });
});
