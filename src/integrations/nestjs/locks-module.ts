/* oxlint-disable typescript/no-extraneous-class -- Nest knows a module by its class, which needs no state of its own */
import type { DynamicModule, FactoryProvider, ModuleMetadata } from '@nestjs/common';
import type { EngineLike } from './engine-like.ts';
import { LocksHealth } from './locks-health.ts';
import { healthToken, locksToken } from './tokens.ts';

/** What {@link LocksModule.forRoot} takes. */
export interface LocksModuleOptions {
  /** The engine object, or a promise of one, such as `connect(url)`. The module closes it when the application shuts down. */
  readonly locks: EngineLike | PromiseLike<EngineLike>;
  /** Its name, where an application has several. */
  readonly engine?: string;
}

/** What {@link LocksModule.forRootAsync} takes. */
export interface LocksModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  /** Opens the engine object. */
  readonly useFactory: (...injected: never[]) => EngineLike | PromiseLike<EngineLike>;
  /** What the factory needs. */
  readonly inject?: FactoryProvider['inject'];
  /** Its name, where an application has several. */
  readonly engine?: string;
}

/** Provides an engine object to the whole application, with its health, and closes it at the end. */
export class LocksModule {
  /** For an engine object that needs nothing of the application. */
  static forRoot({ locks, engine }: LocksModuleOptions): DynamicModule {
    return LocksModule.forRootAsync({ useFactory: () => locks, ...(engine !== undefined && { engine }) });
  }

  /** For an engine object whose address comes from a provider. */
  static forRootAsync({
    useFactory,
    inject = [],
    imports = [],
    engine,
  }: LocksModuleAsyncOptions): DynamicModule {
    const token = locksToken(engine);
    const health = healthToken(engine);
    // By its class only that without a name: two of one class would hide each other.
    const byClass = engine === undefined ? [{ provide: LocksHealth, useExisting: health }] : [];
    const providers = [
      { provide: token, useFactory: useFactory as (...injected: unknown[]) => unknown, inject },
      { provide: health, useFactory: (locks: EngineLike) => new LocksHealth(locks), inject: [token] },
      { provide: `${token} end`, useFactory: closeAtEnd, inject: [token] },
      ...byClass,
    ];
    const provided = [token, health, ...byClass.map(({ provide }) => provide)];
    return { module: LocksModule, global: true, imports, providers, exports: provided };
  }
}

/** Nest calls this after the last request and after every `beforeApplicationShutdown`. */
function closeAtEnd(locks: EngineLike) {
  return { onApplicationShutdown: () => locks.close() };
}
