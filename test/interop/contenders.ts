import type { Hold, HoldOptions } from '../../src/index.ts';

/** What is contended for, as a Java thread has it. */
export interface JavaSide {
  /** Waits without limit. */
  acquire(): Promise<void>;
  /** One attempt, or as long as is said. */
  tryAcquire(waitMs?: number): Promise<boolean>;
  release(): Promise<void>;
}

export type NodeHold = Pick<Hold, 'lost' | 'release' | 'throwIfLost'>;

/** The same, as this process has it. */
export interface NodeSide {
  acquire(options?: HoldOptions): Promise<NodeHold>;
  tryAcquire(options?: HoldOptions): Promise<NodeHold | null>;
}

/** Both sides of one name. */
export interface Contenders {
  readonly java: JavaSide;
  readonly node: NodeSide;
}
