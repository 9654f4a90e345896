import type { Lock } from '../../spi/synchronizers.ts';

/** What the module needs of an engine object: every engine of Holdfast has it. */
export interface EngineLike {
  readonly label: string;
  lock(name: string): Lock;
  close(): Promise<void>;
}
