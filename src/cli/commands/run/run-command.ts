import { systemClock } from '../../../core/time/clock.ts';
import { pause } from '../../pause.ts';
import { say } from '../../output/output.ts';
import type { AnyHold } from './acquisition.ts';
import type { CaughtSignals } from './caught-signals.ts';
import { ChildCommand, type CommandEnd } from './command.ts';
import { LossGuard } from './loss-guard.ts';
import { markOf, runEnvironment, type ToldToCommand } from './run-environment.ts';
import type { TellEvent } from './run-event.ts';
import type { WorkRequest } from './run-request.ts';
import { TimeLimit } from './time-limit.ts';

/** How long to wait for killed processes. They end at once, unless the system is stuck. */
const LAST_LOOKS_MS = 2_000;

const clock = systemClock;

/** How a command under a hold ended, and whether we ended it. */
export interface WorkEnd {
  readonly ended: CommandEnd;
  readonly wasLost: boolean;
  readonly timedOut: boolean;
}

/** Runs the command to its end, and guards the hold meanwhile. */
export async function runCommand(
  hold: AnyHold,
  told: ToldToCommand,
  request: WorkRequest,
  signals: CaughtSignals,
  tell: TellEvent,
): Promise<WorkEnd> {
  // A signal may have arrived while the lock was acquired.
  signals.waiting.throwIfAborted();
  const command = new ChildCommand(request.work, runEnvironment(process.env, told), markOf(told));
  signals.passTo((signal) => {
    if (command.pass(signal)) tell({ event: 'forwarded', signal });
  });
  if (command.pid !== undefined) tell({ event: 'started', pid: command.pid });
  const end = (signal: 'SIGTERM' | 'SIGKILL'): void => command.end(signal);
  const guard = new LossGuard({ hold, request, clock, end, tell });
  const limit = new TimeLimit({ request, clock, end, tell });
  const ended = await command.ended;
  limit.end();
  if ((guard.wasLost && request.onLost === 'kill') || limit.isOver) await endTheRest(command);
  guard.end();
  if (ended.kind === 'exited') tell({ event: 'ended', code: ended.code });
  else if (ended.kind === 'signalled') tell({ event: 'ended', signal: ended.signal });
  else say(ended.message);
  return { ended, wasLost: guard.wasLost, timedOut: limit.isOver };
}

/** The command has ended, but processes it started may not have: guards until none is left. */
async function endTheRest(command: ChildCommand): Promise<void> {
  const until = clock.now() + LAST_LOOKS_MS;
  command.end('SIGKILL');
  while (command.isLeft && clock.now() < until) await pause(5);
}
