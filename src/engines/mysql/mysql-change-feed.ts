import { NONE_DEAD } from '../../kernels/cells/rule-decisions.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../spi/rule.ts';
import { pollPauseMs } from '../sql/cells/poll-pause.ts';
import { RowPoller } from '../sql/cells/row-poller.ts';
import type { ChangeFeed } from '../sql/cells/change-feed.ts';
import type { Statements } from '../sql/cells/statements.ts';

/** How often to poll the rows while an owner waits and nothing happens, give or take a half. */
export const USUAL_POLL_MS = 50;
/** How often listeners for all changes hear that something may have changed. */
const CHANGES_MS = 1000;

/** MySQL sends no messages: one statement polls all names that an owner of this client waits for. */
export class MysqlChangeFeed implements ChangeFeed {
  readonly #rows: RowPoller;
  readonly #statements: Statements;

  constructor(statements: Statements, pollMs: number) {
    this.#statements = statements;
    const { random } = statements.client;
    const untilNextLookMs = (quietMs: number) => pollPauseMs(pollMs, quietMs, random.fraction());
    this.#rows = new RowPoller({ statements, untilNextLookMs });
  }

  watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    return this.#rows.watch(kind, name, owner, heard);
  }

  watching(kind: string, name: string): number {
    return this.#rows.watching(kind, name);
  }

  seen(kind: string, name: string): string | undefined {
    return this.#rows.seen(kind, name);
  }

  dead(): DeadOwners {
    return NONE_DEAD;
  }

  changes(told: (changed: undefined) => void): Unwatch {
    const { client } = this.#statements;
    let over = false;
    const tell = async (): Promise<void> => {
      while (!over && !client.closed) {
        await client.sleep(CHANGES_MS);
        if (!over && !client.closed) told(undefined);
      }
    };
    client.background(tell());
    return () => {
      over = true;
    };
  }

  close(): void {
    // Nothing is open.
  }
}
