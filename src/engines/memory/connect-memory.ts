import type { EngineOptions } from '../../spi/synchronizers.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import { memory } from './index.ts';
import { MemoryStore } from './memory-store.ts';

/** One store for each address: two parts of a program that connect to the same address must exclude each other. */
const stores = new Map<string, MemoryStore>();

export function connectMemory(url: string, options: EngineOptions = {}): Synchronizers {
  const store = stores.get(url) ?? new MemoryStore(systemClock);
  stores.set(url, store);
  return memory({ ...options, store });
}
