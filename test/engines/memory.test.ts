import { describe, test } from 'vitest';
import * as suites from '../../src/testing/index.ts';
import { virtualMemory } from './virtual-memory.ts';

for (const suite of Object.values(suites)) suite({ describe, test, harness: virtualMemory });
