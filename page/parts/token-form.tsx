import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../live/board-state.ts';
import { connectNow } from '../live/feed.ts';
import { keepToken } from '../live/token.ts';

/** Where nothing is shown without a token, and the address had none. */
export function TokenForm() {
  const input = useRef<HTMLInputElement>(null);
  const isLocked = connection.value.is === 'locked';
  useEffect(() => {
    if (isLocked) input.current?.focus();
  }, [isLocked]);
  if (!isLocked) return null;
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        keepToken(input.current?.value.trim() ?? '');
        connectNow();
      }}
    >
      <label for="view-token">Token, as the command line has printed it</label>
      <input id="view-token" ref={input} type="password" autocomplete="off" required />
      <button type="submit">Show the locks</button>
    </form>
  );
}
