// oxlint-disable-next-line import/no-unassigned-import -- Nest reads what it adds to Reflect.
import 'reflect-metadata';
import { Module, SetMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { AcquireTimeoutError, type Locks } from 'holdfast';
import { memory } from 'holdfast/memory';
import {
  type EngineLike,
  healthToken,
  InjectLocks,
  Locked,
  LocksHealth,
  LocksModule,
  locksToken,
  OncePer,
} from 'holdfast/nestjs';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';

/** What the compiler of a Nest application makes of `@a @b method()`. */
function decorate(target: object, key: string, ...decorators: readonly MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, key)!;
  for (const decorator of decorators.toReversed()) decorator(target, key, descriptor);
  Object.defineProperty(target, key, descriptor);
}

class Shop {
  readonly seen: string[] = [];
  readonly archive: Locks;
  constructor(archive: Locks) {
    this.archive = archive;
  }
  async ship(id: string, then: () => unknown = () => undefined): Promise<string> {
    this.seen.push(`ship ${id}`);
    await then();
    return `shipped ${id}`;
  }
  async store(order: { readonly id: number }): Promise<string> {
    await Promise.resolve();
    return `stored ${order.id}`;
  }
  async report(): Promise<string> {
    await Promise.resolve();
    this.seen.push('report');
    if (this.seen.length === 1) throw new Error('no space left');
    return 'reported';
  }
}
decorate(Shop.prototype, 'ship', Locked('orders:{id}', { timeoutMs: 20 }), SetMetadata('route', 'POST'));
decorate(Shop.prototype, 'store', Locked('orders:{order.id}', { engine: 'archive' }));
decorate(Shop.prototype, 'report', OncePer(3_600_000, { name: 'report:hourly' }));
InjectLocks('archive')(Shop, undefined as unknown as string, 0);

/** An application with two engine objects, and what its providers are. */
async function open(store = new MemoryStore()) {
  const locks = memory({ store, label: 'main' });
  const archive = memory({ label: 'archive' });
  const builder = Test.createTestingModule({
    imports: [
      LocksModule.forRoot({ locks: Promise.resolve(locks) }),
      LocksModule.forRootAsync({ engine: 'archive', inject: [], useFactory: () => archive }),
    ],
    providers: [Shop],
  });
  const app = await (await builder.compile()).init();
  return { app, shop: app.get(Shop), locks, archive };
}

describe('a Nest application', () => {
  test('gets its engine objects by name, and closes them when it shuts down', async () => {
    const { app, shop, locks, archive } = await open();
    expect(app.get(locksToken())).toBe(locks);
    expect(shop.archive).toBe(archive);
    await app.close();
    for (const closed of [locks, archive]) await expect(closed.lock('a').acquire()).rejects.toThrow('closed');
  });

  test('runs a method under the lock that its arguments name', async () => {
    const { app, shop, locks, archive } = await open();
    let isLocked = false;
    const ship = shop.ship('7', async () => {
      isLocked = await locks.lock('orders:7').isLocked();
      expect(await shop.ship('7')).toBe('shipped 7');
    });
    expect(await ship).toBe('shipped 7');
    expect(isLocked).toBe(true);
    const hold = await locks.lock('orders:8').acquire();
    await expect(shop.ship('8')).rejects.toThrow(AcquireTimeoutError);
    expect(shop.seen).not.toContain('ship 8');
    await hold.release();
    const other = await archive.lock('orders:9').acquire();
    const stored = shop.store({ id: 9 });
    await other.release();
    expect(await stored).toBe('stored 9');
    await expect(shop.ship('')).rejects.toThrow('Shop.ship: {id} of "orders:{id}" is empty');
    await app.close();
  });

  test('keeps the name and the metadata of a locked method', () => {
    // eslint-disable-next-line typescript/unbound-method
    const { ship } = Shop.prototype;
    expect(ship.name).toBe('ship');
    expect(Reflect.getMetadata('route', ship)).toBe('POST');
  });

  test('runs a method once in a period, in two processes, and again if it failed', async () => {
    const store = new MemoryStore();
    const [one, other] = [await open(store), await open(store)];
    await expect(one.shop.report()).rejects.toThrow('no space left');
    one.shop.seen.push('tried');
    other.shop.seen.push('other');
    expect(await one.shop.report()).toBe('reported');
    expect(await other.shop.report()).toBeUndefined();
    expect(await one.shop.report()).toBeUndefined();
    await one.app.close();
    expect(await other.shop.report()).toBeUndefined();
    await other.app.close();
  });

  test('says whether its store answers', async () => {
    const { app, archive } = await open();
    const health = app.get(LocksHealth);
    expect(await health.check()).toEqual({ locks: { status: 'up' } });
    const archived = app.get<LocksHealth>(healthToken('archive'));
    await archive.close();
    expect(await archived.check('archive')).toMatchObject({ archive: { status: 'down' } });
    await app.close();
  });

  test('opens an engine object with what a provider knows', async () => {
    class Settings {
      readonly label = 'from settings';
    }
    class SettingsModule {
      readonly of = 'settings';
    }
    Module({ providers: [Settings], exports: [Settings] })(SettingsModule);
    class AppModule {
      readonly of = 'app';
    }
    const imported = LocksModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: ({ label }: Settings): EngineLike => memory({ label }),
    });
    Module({ imports: [imported] })(AppModule);
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    expect(app.get<EngineLike>(locksToken()).label).toBe('from settings');
    await app.close();
  });

  test('refuses a name that no parameter fills when the class is declared, and an object that Nest has not made', async () => {
    class Wrong {
      pay(_amount: number): void {}
    }
    expect(() => decorate(Wrong.prototype, 'pay', Locked('payments:{id}'))).toThrow(
      'Wrong.pay: {id} of "payments:{id}" is no parameter of the method (_amount)',
    );
    await expect(new Shop(memory()).ship('7')).rejects.toThrow('let Nest make the object');
  });
});
