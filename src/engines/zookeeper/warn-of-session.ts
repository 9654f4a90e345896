import type { GrantedSession } from './client/session/session-status.ts';

/** Says that the server has granted another session than it was asked for: holds are then kept for longer, or for less. */
export function warnOfSession({ requestedMs, grantedMs }: GrantedSession, label: string): void {
  if (requestedMs === grantedMs) return;
  process.emitWarning(
    `${label}: the server granted a session of ${grantedMs} ms instead of ${requestedMs} ms (its minSessionTimeout and maxSessionTimeout). Set sessionMs to what it grants, or change the server.`,
    { type: 'HoldfastWarning', code: 'HOLDFAST_SESSION_TIME' },
  );
}
