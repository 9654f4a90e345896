import { closest } from './closest.ts';
import { printable } from './queries/sighting-table.ts';
import { UsageError } from './usage-error.ts';

/** The error of a verb that needs one of its actions and a name, and has been given something else. */
export function actionError(
  verb: string,
  given: readonly (string | undefined)[],
  actions: readonly string[],
): UsageError {
  const needs = `${verb} needs one of ${actions.join(', ')}, and a name`;
  const [word] = given;
  if (word === undefined || actions.includes(word)) return new UsageError(`${needs}.`);
  const meant = closest(word, actions);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return new UsageError(`${needs}; "${printable(word)}" is no action.${hint}`);
}
