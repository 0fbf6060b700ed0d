import { hasUnsaved } from './unsaved.browser.js';

const mark = 'certloop-reloaded';
const listeners = new Set<() => void>();

/** Calls `listener` when a part is missing while something typed is not stored. Returns what ends that. */
export function onMissingPart(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Loads the document anew, once a minute, when a part of the console cannot be loaded: after a deployment the parts have
 * other names. What the address says stays. Returns where a new document did not help or the service does not answer.
 * Throws `error` where something typed would be lost: the page shown stays.
 */
export async function recoverPart(error: unknown): Promise<void> {
  if (hasUnsaved()) {
    for (const notify of listeners) notify();
    throw error;
  }
  const last = Number(sessionStorage.getItem(mark) ?? 0);
  if (Date.now() - last < 60_000 || !(await isServiceThere())) return;
  sessionStorage.setItem(mark, String(Date.now()));
  location.reload();
  await new Promise<never>(() => undefined);
}

/** Whether the service serves the document, so that loading it anew leads to a page. */
export async function isServiceThere(): Promise<boolean> {
  try {
    return (await fetch(document.baseURI, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
