import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Every client with every kind of server: what `npm test` covers in pairs. */
export default mergeConfig(usual, defineConfig({ test: { include: ['test/matrix/**/*.matrix.ts'] } }));
