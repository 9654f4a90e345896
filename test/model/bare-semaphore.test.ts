import { describeModel } from './describe-model.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { bareSemaphoreKind } from './bare-semaphore-kind.ts';

describeModel('the bare semaphore', holdingPrograms, (stage, program) =>
  runHolding(stage, bareSemaphoreKind, program),
);
