import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let notice: string | undefined;

/** Shows, above the page, that the user may do something else than before. Undefined hides it. */
export function noteRights(text: string | undefined): void {
  notice = text;
  for (const listener of listeners) listener();
}

/** Returns what to show above the page about changed rights. */
export function useRightsNotice(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notice,
  );
}
