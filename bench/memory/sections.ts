/** Runs a section this many times under the lock of this name, one after the other, in the library's own loop. */
export type SectionLoop = (name: string, sections: number, section: () => Promise<void>) => Promise<void>;

/** A library by its function that takes the lock, runs a section and gives the lock back. */
export interface Sections {
  readonly name: string;
  readonly open: () => Promise<SectionLoop>;
}
