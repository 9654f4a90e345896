import { useEffect, useRef, useState } from 'preact/hooks';
import { release } from '../live/board-state.ts';
import type { HolderRow, HoldRow } from '../live/hold-rows.ts';
import { forceRelease, type ReleaseOutcome } from '../live/requests.ts';
import { hasToken, keepToken } from '../live/token.ts';
import { holderText, plain } from '../texts.ts';

const OUTCOMES: Readonly<Record<ReleaseOutcome, string>> = {
  released: 'The hold was ended. Its holder learns of it at its next renewal.',
  'too late': 'It is not held that way any more. Nothing was done.',
  'not allowed': 'This page may not end it: the token is missing or wrong, or you have no right to.',
  failed: 'The store did not answer. It is not known whether the hold was ended.',
};

interface ReleaseDialogOptions {
  readonly row: HoldRow;
  /** The hold as it was when the user asked for its end: a newer one is not meant. */
  readonly holder: HolderRow;
  readonly onClose: () => void;
}

export function ReleaseDialog({ row, holder, onClose }: ReleaseDialogOptions) {
  const dialog = useRef<HTMLDialogElement>(null);
  const token = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<ReleaseOutcome>();
  const [isSending, setIsSending] = useState(false);
  const [asksToken, setAsksToken] = useState(release.value === 'token' && !hasToken());
  useEffect(() => dialog.current!.showModal(), []);

  async function end(): Promise<void> {
    if (asksToken) keepToken(token.current?.value.trim() ?? '');
    setIsSending(true);
    const result = await forceRelease(row, holder);
    setIsSending(false);
    setOutcome(result);
    setAsksToken(release.value === 'token' && !hasToken());
  }

  const isDone = outcome === 'released' || outcome === 'too late';
  return (
    <dialog ref={dialog} aria-labelledby="release-title" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void end();
        }}
      >
        <h2 id="release-title">End this hold by force?</h2>
        <dl>
          <div>
            <dt>name</dt>
            <dd>
              <bdi>{plain(row.name)}</bdi>
            </dd>
          </div>
          <div>
            <dt>held by</dt>
            <dd>
              <bdi>{holderText(holder)}</bdi>
            </dd>
          </div>
          <div>
            <dt>fence</dt>
            <dd>{holder.fence ?? 'none'}</dd>
          </div>
        </dl>
        <p>
          Its holder goes on working until its next renewal, and another owner may get the lock at once. Only
          what checks fences refuses its writes. This ends the hold with this fence, and no newer one.
        </p>
        {asksToken && !isDone && (
          <label>
            Token
            <input ref={token} type="password" autocomplete="off" required />
          </label>
        )}
        {/* In the dialog, and there before it says anything: what is outside of a modal dialog is not read out. */}
        <p class={`outcome ${outcome === 'released' ? 'good' : 'bad'}`} role="status">
          {outcome !== undefined && OUTCOMES[outcome]}
        </p>
        <div class="buttons">
          {/* First, and focused by that: Enter must not end a hold that was opened by mistake. */}
          <button type="button" onClick={() => dialog.current?.close()}>
            {isDone ? 'Close' : 'Cancel'}
          </button>
          {!isDone && (
            <button type="submit" class="danger" disabled={isSending}>
              End the hold
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}
