/** What one attempt of an owner comes to. */
export type TurnStep =
  | { readonly kind: 'in' }
  | { readonly kind: 'behind' }
  | { readonly kind: 'mismatch'; readonly total: number };
