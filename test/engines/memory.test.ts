import { describe, test } from 'vitest';
import { fairLockSuite, lockSuite } from '../../src/testing/index.ts';
import { virtualMemory } from './virtual-memory.ts';

lockSuite({ describe, test, harness: virtualMemory });
fairLockSuite({ describe, test, harness: virtualMemory });
