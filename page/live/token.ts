const KEY = 'holdfast-token';

/**
 * Takes the token out of the address at once, so that it is in no bookmark, and on no screen that is shown to others. It lasts as long as
 * the tab: a page that is loaded again still has its rights.
 */
export function takeTokenOfAddress(): void {
  const [, token] = /^#token=([\x21-\x7e]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  keepToken(token);
  history.replaceState(null, '', location.pathname + location.search);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}

export function hasToken(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

export function authorization(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(KEY);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}
