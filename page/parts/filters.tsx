import { useEffect } from 'preact/hooks';
import { announcement, prefixes, rows, selection, shown } from '../live/board-state.ts';
import type { Selection } from '../live/selection.ts';
import { kindText, plain } from '../texts.ts';

const SETTLED_MS = 600;

function select(change: Partial<Selection>): void {
  selection.value = { ...selection.value, ...change };
}

/** Search, kind and prefix. */
export function Filters() {
  const { search, kind, prefix } = selection.value;
  const kinds = [...new Set([...rows.value.values()].map((row) => row.kind)), kind].filter(Boolean);
  const count = shown.value.length;
  const isFiltered = search !== '' || kind !== '' || prefix !== '';
  useEffect(() => {
    if (!isFiltered) return;
    const timer = setTimeout(() => {
      announcement.value = `${count} of ${rows.value.size} shown`;
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [search, kind, prefix]);
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          value={search}
          placeholder="name, holder, fence"
          onInput={({ currentTarget }) => select({ search: currentTarget.value })}
        />
      </label>
      <label>
        Kind
        <select value={kind} onChange={({ currentTarget }) => select({ kind: currentTarget.value })}>
          <option value="">all</option>
          {[...new Set(kinds)].toSorted().map((one) => (
            <option key={one} value={one}>
              {kindText(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Prefix
        <input
          list="prefixes"
          value={prefix}
          placeholder="orders:"
          autocomplete="off"
          onInput={({ currentTarget }) => select({ prefix: currentTarget.value })}
        />
        <datalist id="prefixes">
          {prefixes.value.map((one) => (
            <option key={one} value={one} label={plain(one)} />
          ))}
        </datalist>
      </label>
      <p class="count">
        {isFiltered ? `${count.toLocaleString('en')} of ` : ''}
        {rows.value.size.toLocaleString('en')} {rows.value.size === 1 ? 'name' : 'names'}
      </p>
    </form>
  );
}
