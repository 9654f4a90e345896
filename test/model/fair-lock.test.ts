import { describeModel } from './describe-model.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { fairLockKind } from './fair-lock-kind.ts';

describeModel('the fair lock', holdingPrograms, (stage, program) => runHolding(stage, fairLockKind, program));
