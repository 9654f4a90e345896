import { Inject } from '@nestjs/common';
import type { Lock } from '../../spi/synchronizers.ts';
import type { EngineLike } from './engine-like.ts';
import { type LockName, nameForCall } from './lock-name.ts';
import { locksToken } from './tokens.ts';

type Method = (this: object, ...args: unknown[]) => unknown;

/** Metadata as `reflect-metadata` keeps it, which every Nest application loads. */
interface Metadata {
  getMetadataKeys(target: object): readonly unknown[];
  getMetadata(key: unknown, target: object): unknown;
  defineMetadata(key: unknown, value: unknown, target: object): void;
}

/** Calls the method of a decorated class under a lock, or does not call it. */
export type CallUnder = (lock: Lock, call: () => unknown) => Promise<unknown>;

/**
 * A decorator that has each call of a method go by way of a lock. The engine object is injected as a property of the class: it is
 * that of the application which has made the object, of which a test may have several.
 */
export function wrapMethod(
  name: LockName,
  engine: string | undefined,
  callUnder: CallUnder,
): MethodDecorator {
  return (target, key, descriptor: PropertyDescriptor) => {
    const where = `${target.constructor.name}.${String(key)}`;
    const property = locksToken(engine);
    Inject(property)(target, property);
    const method = descriptor.value as Method;
    const nameOf = nameForCall(name, method, where);
    const wrapped = async function (this: object, ...args: unknown[]): Promise<unknown> {
      const locks = (this as Record<string, EngineLike | undefined>)[property];
      if (locks === undefined)
        throw new TypeError(
          `${where} has no locks: let Nest make the object, and import LocksModule.forRoot.`,
        );
      return callUnder(locks.lock(nameOf(args)), () => method.apply(this, args));
    };
    keepIdentity(method, wrapped);
    descriptor.value = wrapped;
  };
}

/** Routes, guards and schedules are metadata of the function: a decorator below this one has left them on the method. */
function keepIdentity(from: Method, to: Method): void {
  const metadata = Reflect as unknown as Metadata;
  for (const key of metadata.getMetadataKeys(from))
    metadata.defineMetadata(key, metadata.getMetadata(key, from), to);
  Object.defineProperty(to, 'name', { value: from.name, configurable: true });
}
