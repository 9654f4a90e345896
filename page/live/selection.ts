import { type HoldRow, waitingOf } from './hold-rows.ts';
import { holderText } from '../texts.ts';

export type SortKey = 'kind' | 'name' | 'holder' | 'lease' | 'age' | 'fence' | 'waiting';

export interface Selection {
  readonly search: string;
  readonly kind: string;
  readonly prefix: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

/** The rows to show, in their order. */
export function selected(rows: Iterable<HoldRow>, selection: Selection): readonly HoldRow[] {
  const { kind, prefix, sort, isDescending } = selection;
  const search = selection.search.trim().toLowerCase();
  const found = [...rows].filter(
    (row) =>
      (kind === '' || row.kind === kind) &&
      row.name.startsWith(prefix) &&
      (search === '' || mentions(row, search)),
  );
  const compare = ORDERS[sort];
  const sign = isDescending ? -1 : 1;
  return found.toSorted((one, other) => sign * compare(one, other) || byText(one.name, other.name));
}

/** The families of the names, by what stands before their first separator: the most frequent ones. */
export function prefixesOf(rows: Iterable<HoldRow>): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of rows) {
    const [prefix] = /^[^:/.]{1,40}[:/.]/.exec(name) ?? [];
    if (prefix !== undefined) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 20)
    .map(([prefix]) => prefix);
}

function mentions(row: HoldRow, search: string): boolean {
  if (row.name.toLowerCase().includes(search)) return true;
  return row.holders.some(
    (holder) =>
      holderText(holder).toLowerCase().includes(search) ||
      holder.owner.toLowerCase().includes(search) ||
      holder.fence === search ||
      holder.client?.command.toLowerCase().includes(search) === true,
  );
}

type Compare = (one: HoldRow, other: HoldRow) => number;

const ORDERS: Readonly<Record<SortKey, Compare>> = {
  kind: (one, other) => byText(one.kind, other.kind),
  name: (one, other) => byText(one.name, other.name),
  holder: (one, other) => byText(firstHolder(one), firstHolder(other)),
  lease: (one, other) => byNumber(leaseEnd(one), leaseEnd(other)),
  age: (one, other) => byNumber(-begin(one), -begin(other)),
  fence: (one, other) => byNumber(fence(one), fence(other)),
  waiting: (one, other) => waitingOf(one) - waitingOf(other),
};

const firstHolder = ({ holders: [holder] }: HoldRow): string =>
  holder === undefined ? '' : holderText(holder);
const leaseEnd = ({ holders: [holder] }: HoldRow): number => holder?.endsAt ?? Infinity;
const begin = ({ holders: [holder] }: HoldRow): number => holder?.since ?? Infinity;
const fence = ({ holders: [holder] }: HoldRow): number => Number(holder?.fence ?? 0);

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Of two infinities, the difference is no number. */
function byNumber(one: number, other: number): number {
  return one < other ? -1 : Number(one > other);
}
