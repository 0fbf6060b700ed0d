import { hasUnsaved } from '../../unsaved/unsaved.browser.js';

const mark = 'certloop-reloaded';
/** How long the service has to answer before it counts as away. */
const answerMs = 10_000;
const listeners = new Set<(reason: Promise<MissingReason>) => void>();

/** Why a part cannot be loaded: the service has it no longer, does not answer, or answers again. */
export type MissingReason = 'gone' | 'away' | 'broken';

export const missingTexts: Readonly<Record<MissingReason, string>> = {
  gone: 'A part of this page is not on the service any more: the service was updated, or its files are incomplete.',
  away: 'The service does not answer. It may be restarting, or the network is down.',
  broken:
    'A part of this page could not be loaded, although the service answers. The connection may have broken off.',
};

/** Calls `listener` when a part is missing while something typed is not stored. Returns what ends that. */
export function onMissingPart(listener: (reason: Promise<MissingReason>) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Loads the document again, once a minute, when a part of the console cannot be loaded: after a deployment the parts have
 * other names. What the address says stays. Returns why a new document does not help; undefined where something typed
 * would be lost, which the listeners are asked about at once.
 */
export function recoverPart(error: unknown): Promise<MissingReason> | undefined {
  const reason = reasonOf(error);
  if (!hasUnsaved()) return reason.then(reloadUnlessAway);
  for (const notify of listeners) notify(reason);
  return undefined;
}

async function reloadUnlessAway(reason: MissingReason): Promise<MissingReason> {
  const last = Number(sessionStorage.getItem(mark) ?? 0);
  if (reason === 'away' || Date.now() - last < 60_000) return reason;
  sessionStorage.setItem(mark, String(Date.now()));
  location.reload();
  return new Promise<never>(() => undefined);
}

/** Why the part is missing that the browser names in its error; without a name, whether the service answers. */
async function reasonOf(error: unknown): Promise<MissingReason> {
  const [address] = (error instanceof Error && /https?:\/\/\S+/.exec(error.message)) || [];
  const status = await statusAt(address ?? document.baseURI);
  if (status === 404 || status === 410) return 'gone';
  return status === 200 ? 'broken' : 'away';
}

/** Whether the service serves the document, so that loading it again leads to a page. */
export async function isServiceThere(): Promise<boolean> {
  return (await statusAt(document.baseURI)) === 200;
}

/** HTTP status of what the service serves there; undefined where it does not answer. */
async function statusAt(address: string): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    return (await fetch(address, { cache: 'no-store', signal })).status;
  } catch {
    return undefined;
  }
}
