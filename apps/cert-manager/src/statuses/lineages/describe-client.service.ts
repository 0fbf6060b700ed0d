import type { Tx } from '@certloop/db';
import { computeStatus, stateAt } from '../computed-status.js';
import { clientNews } from '../fqdn-status.js';
import { readStatusFacts } from '../status-rows.service.js';
import { renewedText, spokenOf } from './lineage-text.js';

/** Returns how the ACME clients of an FQDN stand at `now`, in the words of its status; undefined without any. */
export async function describeClient(tx: Tx, fqdnId: string, now: Date): Promise<string | undefined> {
  const facts = await readStatusFacts(tx, fqdnId);
  const lineages = spokenOf(facts?.lineages ?? []);
  if (facts === undefined || lineages === undefined) return undefined;
  const status = computeStatus(facts);
  const state = stateAt(status, now);
  const isLate = state === 'due' || state === 'expired';
  return clientNews(status, lineages, { isLate, now }) ?? renewedText(lineages, now);
}
