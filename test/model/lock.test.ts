import { describeModel } from './describe-model.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { lockKind } from './lock-kind.ts';

describeModel('the lock', holdingPrograms, (stage, program) => runHolding(stage, lockKind, program));
