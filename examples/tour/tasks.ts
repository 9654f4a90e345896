import { put, take } from './scenes/bounded-queue.ts';
import { guard } from './scenes/crash.ts';
import { queueUp } from './scenes/fair-queue.ts';
import { add } from './scenes/lost-update.ts';
import { write } from './scenes/stale-holder.ts';
import type { Task } from './worker.ts';

/** By name, because a name can be sent to another process and a function cannot. */
const tasks: Readonly<Record<string, Task>> = { add, queueUp, guard, write, put, take };

export function taskCalled(name: string): Task {
  const task = tasks[name];
  if (task === undefined) throw new RangeError(`there is no task ${name}`);
  return task;
}
