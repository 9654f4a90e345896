import { describeModel } from './describe-model.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { readWriteLockKind } from './read-write-lock-kind.ts';

describeModel('the read-write lock', holdingPrograms, (stage, program) =>
  runHolding(stage, readWriteLockKind, program),
);
