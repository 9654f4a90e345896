export type { EngineLike } from './engine-like.ts';
export type { LockName } from './lock-name.ts';
export { Locked, type LockedOptions } from './locked.ts';
export { type HealthResult, LocksHealth } from './locks-health.ts';
export { LocksModule, type LocksModuleAsyncOptions, type LocksModuleOptions } from './locks-module.ts';
export { OncePer, type OncePerOptions } from './once-per.ts';
export { healthToken, InjectLocks, locksToken } from './tokens.ts';
