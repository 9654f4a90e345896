import { describe } from 'vitest';
import { countCells } from './count-cells.ts';
import { electionCells } from './election-cells.ts';
import { crowds, handOvers } from './hold-cells.ts';
import { EXCLUSIVE, KINDS } from './kinds.ts';
import { lineCells } from './line-cells.ts';
import { semaphoreCells } from './semaphore-cells.ts';
import type { CuratorStage } from './stage.ts';

/** What must hold on one server and on an ensemble alike: every recipe, from each side to the other. */
export function recipes(stage: () => CuratorStage): void {
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
}
