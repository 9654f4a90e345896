/** Where a trial takes place: nobody else uses it, and nothing of it is left. */
export interface Place {
  /** Of a server on the loopback; 0 where there is none. */
  readonly port: number;
  /** For files that the contestants share. */
  readonly folder: string;
  stop(): Promise<void>;
}
