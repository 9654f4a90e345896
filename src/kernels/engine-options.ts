import { checkOptions } from '../core/arguments.ts';
import type { EngineOptions } from '../spi/api/engine-options.ts';

const OF_EVERY_ENGINE: readonly (keyof EngineOptions)[] = [
  'label',
  'renewalLeaseMs',
  'maxHoldMs',
  'name',
  'announce',
];

/** Refuses an option that is misspelt, and options that are no object. `own` are the options that only this engine has. */
export function checkEngineOptions(options: unknown, own: readonly string[], engine: string): void {
  checkOptions(options, [...OF_EVERY_ENGINE, ...own], { resource: `${engine}()`, engine });
}
