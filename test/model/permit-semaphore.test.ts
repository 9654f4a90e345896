import { describeModel } from './describe-model.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { permitSemaphoreKind } from './permit-semaphore-kind.ts';

describeModel('the permit semaphore', holdingPrograms, (stage, program) =>
  runHolding(stage, permitSemaphoreKind, program),
);
