import type { Pace } from './run-interleaved.ts';
import type { Story } from './story.ts';

/** What one round of one contestant brought, by name. */
export type Figures = Readonly<Record<string, number>>;

/** A contestant made ready, in a process of its own. */
export interface TrialBout {
  round(roundMs: number): Promise<Figures>;
  close(): Promise<void>;
}

export interface TrialContestant {
  readonly name: string;
  /** Opens it on the server at this port of the loopback, or on files in this folder. */
  open(port: number, folder: string, speed: 'full' | 'quick'): Promise<TrialBout>;
}

export interface Column {
  readonly figure: string;
  readonly digits: number;
}

/** Figures of one kind at growing sizes, to be drawn: what grows, and what does not. */
export interface Curve {
  /** What is drawn, with its unit. */
  readonly title: string;
  /** What grows. */
  readonly axis: string;
  readonly points: readonly { readonly at: number; readonly figure: string }[];
}

/**
 * A figure of one contestant: in the round that is being judged, or its median over all of them, which is not a number if
 * one of them brought none.
 */
export type FigureOf = (contestant: string, figure: string) => number;

/** A bound that we promise to keep, on a number that is formed within each round. */
export interface Promised {
  /** What the number is, in words. */
  readonly text: string;
  /** The contestants whose figures it is made of: the gate measures no others. */
  readonly of: readonly string[];
  readonly value: (figureOf: FigureOf, medianOf: FigureOf) => number;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  /** What speaks for all rounds: the median, or the round that is furthest on the wrong side. */
  readonly over: 'median' | 'worst';
  /**
   * The least that it can be made of, and the same number of that. Where not even this keeps the bound it is out of reach:
   * shown as not kept, but the gate does not fail for it.
   */
  readonly floor?: { readonly name: string; readonly value: Promised['value'] };
}

/** A measurement in a real store that is more than a rate of pairs. */
export interface Trial {
  readonly name: string;
  /** Where the locks live, for `--engine` and for the place that is needed. */
  readonly engine: string;
  readonly contestants: readonly TrialContestant[];
  readonly columns: readonly Column[];
  readonly curves?: readonly Curve[];
  readonly promises: readonly Promised[];
  readonly pace: { readonly full: Pace; readonly quick: Pace };
  readonly story: Story;
  /** The contestants of a quick run; all of them without this list. */
  readonly quickly?: readonly string[];
  /** Client and server have processors of their own, however the system would have put them. */
  readonly apart?: true;
  /** Each contestant has a new process for each round, on one place for all: what is measured is how a process begins. */
  readonly young?: true;
  /** Why it is left out when everything is to be measured quickly. */
  readonly slow?: string;
  /** What it takes to open a contestant beyond starting its process, in milliseconds. */
  readonly openMs?: number;
  /**
   * Contestants that are at work between their rounds as well: each is opened in a place of its own, anew for each round,
   * or once for all of its rounds, which then follow each other, where it takes long until it has come to rest.
   */
  readonly alone?: 'each round' | 'all rounds';
}
