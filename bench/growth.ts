import type { Column, Curve, Figures } from './trial.ts';

/** Figures that are measured at several sizes of the same thing. */
export interface Growth {
  /** What grows. */
  readonly axis: string;
  readonly sizes: readonly number[];
  /** What is looked at, at each size. */
  readonly columns: readonly Column[];
}

/** The same figures, each with the size at which it was measured. */
export function sized(figures: Figures, size: number): Figures {
  return Object.fromEntries(Object.entries(figures).map(([figure, value]) => [nameAt(figure, size), value]));
}

export function growthColumns({ sizes, columns }: Growth): Column[] {
  return columns.flatMap(({ figure, digits }) =>
    sizes.map((size) => ({ figure: nameAt(figure, size), digits })),
  );
}

export function curvesOf({ axis, sizes, columns }: Growth): Curve[] {
  return columns.map(({ figure }) => ({
    title: figure,
    axis,
    points: sizes.map((at) => ({ at, figure: nameAt(figure, at) })),
  }));
}

function nameAt(figure: string, size: number): string {
  return `${figure} at ${size}`;
}
