import type { JavaModule } from '../java-build.ts';
import { JavaClients, JavaThread } from '../java-clients.ts';
import { JavaProgram } from '../java-program.ts';

export type CuratorVersion = Extract<JavaModule, `curator-${string}`>;

/** The name of a unit of time in Java. */
export const MS = 'MILLISECONDS';

/** The recipes that the Java program knows, see Recipes.java. */
export type Recipe =
  | 'mutex'
  | 'revocableMutex'
  | 'readLock'
  | 'writeLock'
  | 'semaphoreMutex'
  | 'semaphore'
  | 'leaderLatch'
  | 'leaderSelector'
  | 'sharedCount'
  | 'multiLock';

/** A path, several paths, or a path with what else the recipe is made with. */
export type Named =
  | string
  | readonly string[]
  | {
      readonly path: string;
      readonly permits?: number;
      readonly id?: string;
      readonly seed?: number;
    };

/** What one client of a JVM is opened with. */
export interface CuratorSettings {
  readonly servers: string;
  readonly sessionMs: number;
  /** Curator's `usingNamespace`. */
  readonly namespace?: string;
  /** `user:password`. Every node that it makes is then for that user alone. */
  readonly digest?: string;
  /** How often a request is repeated whose connection broke, every 100 ms. Once without it: an election of servers takes longer. */
  readonly retries?: number;
}

/** A JVM with clients of Curator. */
export class Curator extends JavaClients<CuratorThread> {
  static async start(version: CuratorVersion, clients: readonly CuratorSettings[]): Promise<Curator> {
    return new Curator(await JavaProgram.start(version, clients), CuratorThread);
  }
}

export class CuratorThread extends JavaThread {
  /** `new InterProcessMutex(client, path).acquire(…)` is `call('mutex', path, 'acquire', …)`. */
  call(
    recipe: Recipe,
    named: Named,
    method: string,
    ...args: readonly (string | number)[]
  ): Promise<unknown> {
    return this.tell({ recipe, named, method, args });
  }

  /** One of the tasks that are no method of a recipe, see CuratorProgram.java. */
  task(task: 'increment' | 'revoke' | 'delete' | 'states' | 'close', details: object = {}): Promise<unknown> {
    return this.tell({ task, ...details });
  }
}
