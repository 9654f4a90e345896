/** Ids as Java makes them: that of the client and the number of the thread. Ours are other texts in the same places. */
export const A = 'aaaaaaaa-0000-4000-8000-000000000001:1';
export const B = 'bbbbbbbb-0000-4000-8000-000000000002:7';
export const C = 'cccccccc-0000-4000-8000-000000000003:3';
export const D = 'dddddddd-0000-4000-8000-000000000004:4';
