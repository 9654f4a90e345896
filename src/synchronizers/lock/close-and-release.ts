import { closeScope } from '../../core/reentry/scope.ts';
import { RELEASE_AT_END } from '../release-at-end.ts';
import type { GrantHold } from '../hold.ts';
import type { SectionEnds } from '../run-section.ts';

/** The end of a lock's `run`: its scope closes before the release, so what the section left behind is a new owner (soundness 14). */
export const CLOSE_AND_RELEASE: SectionEnds<GrantHold> = {
  abandon: (hold) => {
    closeScope(hold.scope!);
    return RELEASE_AT_END.abandon(hold);
  },
  finish: (hold) => {
    closeScope(hold.scope!);
    return RELEASE_AT_END.finish(hold);
  },
};
