import type { State, StateKind } from '../../authority/state.store.js';

/**
 * Notes that a record of a kind was issued, and returns it: a caller that has a record may change it, so it is
 * written before the next answer.
 */
export function noteOf<T extends { readonly id: string }>(
  state: State,
  kind: StateKind,
  storedOf: (record: T) => unknown = (record) => record,
) {
  return <R extends T | undefined>(record: R): R => {
    if (record !== undefined) state.touch(kind, record.id, () => storedOf(record));
    return record;
  };
}
