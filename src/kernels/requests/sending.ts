/**
 * What is known of one request while its copies are under way. A caller may be told that nothing was done only if no copy
 * has left this process, and only if none leaves it afterwards: a copy that waits for a connection of a pool would be
 * carried out after its caller was told so, and be done twice when the caller tries again.
 */
export interface Sending {
  /** A copy has left this process, or cannot be held back any more. */
  wasSent: boolean;
  /** False once its caller was told that nothing was done. A copy that is still here is not sent then. */
  isWanted: boolean;
}
