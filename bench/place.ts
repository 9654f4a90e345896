/** The server or folder of a trial: no other program uses it, and it leaves nothing behind. */
export interface Place {
  /** Of a server on the loopback; 0 where there is none. */
  readonly port: number;
  /** For files that the contestants share. */
  readonly folder: string;
  stop(): Promise<void>;
}
