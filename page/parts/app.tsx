import { announcement, openRow, openKey } from '../live/board-state.ts';
import { Curves } from './curves.tsx';
import { Details } from './details.tsx';
import { Filters } from './filters.tsx';
import { Heading } from './heading.tsx';
import { LockList } from './lock-list.tsx';
import { TokenForm } from './token-form.tsx';

/** The whole page. */
export function App() {
  return (
    <>
      <Heading />
      <TokenForm />
      <main class={openKey.value === undefined ? '' : 'beside'}>
        <div class="overview">
          <Curves />
          <Filters />
          <LockList />
        </div>
        {openKey.value !== undefined && (
          <Details key={openKey.value} name={openKey.value} row={openRow.value} />
        )}
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement}
      </div>
    </>
  );
}
