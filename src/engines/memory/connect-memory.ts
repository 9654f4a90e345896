import { engineForms, readQuery } from '../../kernels/address/read-query.ts';
import { settingsOverAddress } from '../../kernels/address/settings-over-address.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import { memory } from './index.ts';
import { MemoryStore } from './memory-store.ts';

/** The key of the stores: another version may keep other records. */
const STORES = Symbol.for('holdfast 0.1.0 memory stores');

/**
 * One store for each address: two parts of a program that connect to the same address must exclude each other. Kept by the process
 * and not by this module, which a program loads twice that has a bundle beside the package, or ES modules beside CommonJS.
 */
function storesOfProcess(): Map<string, MemoryStore> {
  const holder = globalThis as { [STORES]?: Map<string, MemoryStore> };
  return (holder[STORES] ??= new Map());
}

export function connectMemory(url: string, options: EngineOptions = {}): Synchronizers {
  const [place = '', query = ''] = url.split(/\?(.*)/s);
  const settings = settingsOverAddress(readQuery(query, engineForms, 'memory'), options);
  const stores = storesOfProcess();
  const store = stores.get(place) ?? new MemoryStore(systemClock);
  stores.set(place, store);
  return memory({ ...settings, store });
}
