import { describeModel } from './describe-model.ts';
import { fairLockKind } from './fair-lock-kind.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { fairLockKindWithShortFront, loadShortFront } from './short-front.ts';

describeModel('the fair lock', holdingPrograms, (stage, program) => runHolding(stage, fairLockKind, program));

describeModel('the fair lock with a short front', holdingPrograms, async (stage, program) =>
  runHolding(stage, fairLockKindWithShortFront, program, await loadShortFront(stage)),
);
