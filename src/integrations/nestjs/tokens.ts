import { Inject } from '@nestjs/common';

const USUAL = 'default';

/** Under what a module provides the engine object of this name. A text, so that two copies of the package agree on it. */
export function locksToken(engine = USUAL): string {
  return `holdfast locks ${engine}`;
}

/** Under what a module provides the health of the engine object of this name. */
export function healthToken(engine = USUAL): string {
  return `holdfast health ${engine}`;
}

/** Injects an engine object into a constructor or a property: that without a name, or the one of this name. */
export function InjectLocks(engine?: string): ParameterDecorator & PropertyDecorator {
  return Inject(locksToken(engine));
}
