import { describeModel } from './describe-model.ts';
import { latchPrograms, runLatch } from './latch-run.ts';

describeModel('the latch', latchPrograms, runLatch);
