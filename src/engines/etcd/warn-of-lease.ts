import type { GrantedLease } from './client/session/lease-status.ts';

/** Says that the server has granted another lease than it was asked for: holds are then kept for longer after a crash. */
export function warnOfLease({ requestedMs, grantedMs }: GrantedLease, label: string): void {
  if (requestedMs === grantedMs) return;
  process.emitWarning(
    `${label}: the server granted a lease of ${grantedMs} ms instead of ${requestedMs} ms: it is at least one and a half election time-outs. Set sessionMs to what it grants, or change the server.`,
    { type: 'HoldfastWarning', code: 'HOLDFAST_SESSION_TIME' },
  );
}
