import { hasUnsaved } from './unsaved.browser.js';

const mark = 'certloop-reloaded';
/** How long the service has to answer before it counts as away. */
const answerMs = 10_000;
const listeners = new Set<(reason: MissingReason) => void>();

/** Why a part cannot be loaded: the service has it no longer, or does not answer. */
export type MissingReason = 'gone' | 'away';

export const missingTexts: Readonly<Record<MissingReason, string>> = {
  gone: 'A part of this page is not on the service any more: the service was updated, or its files are incomplete.',
  away: 'The service does not answer. It may be restarting, or the network is down.',
};

/** Calls `listener` when a part is missing while something typed is not stored. Returns what ends that. */
export function onMissingPart(listener: (reason: MissingReason) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Loads the document anew, once a minute, when a part of the console cannot be loaded: after a deployment the parts have
 * other names. What the address says stays. Returns why a new document does not help. Throws `error` where something
 * typed would be lost: the page shown stays.
 */
export async function recoverPart(error: unknown): Promise<MissingReason> {
  const reason: MissingReason = (await isServiceThere()) ? 'gone' : 'away';
  if (hasUnsaved()) {
    for (const notify of listeners) notify(reason);
    throw error;
  }
  const last = Number(sessionStorage.getItem(mark) ?? 0);
  if (reason === 'away' || Date.now() - last < 60_000) return reason;
  sessionStorage.setItem(mark, String(Date.now()));
  location.reload();
  return new Promise<never>(() => undefined);
}

/** Whether the service serves the document, so that loading it anew leads to a page. */
export async function isServiceThere(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    return (await fetch(document.baseURI, { cache: 'no-store', signal })).ok;
  } catch {
    return false;
  }
}
