import { domainToUnicode } from 'node:url';
import { findRows, type Tx } from '@certloop/db';
import { labelsText } from '../fqdns/labels.js';
import { computeOutlook, type PlannedCertificate } from '../renewals/outlook/read-outlook.service.js';
import { planRenewal } from '../renewals/renewal-policy.js';
import { computeStatus, type DatedFailure, type StatusFacts } from './computed-status.js';
import type { Lineage } from './lineages/lineage.js';
import { readLineages } from './lineages/read-lineages.service.js';
import { writeLineages } from './lineages/stored-lineages.js';
import { type FactRow, readFacts } from './status-facts.repository.js';
import { type FqdnStatusRow, fqdnStatuses, noDate } from './statuses.repository.js';

/** How the FQDNs stand by the facts; of what is stored, only the requests that failed count. */
export async function statusRowsOf(
  tx: Tx,
  facts: readonly FactRow[],
  stored: readonly FqdnStatusRow[],
  now: Date,
): Promise<FqdnStatusRow[]> {
  const before = new Map(stored.map((row) => [row.id, row]));
  const rows: FqdnStatusRow[] = [];
  const lineages = await lineagesOf(tx, facts);
  for (const fact of facts) {
    const { requestFailedAt = null, requestFailure = null } = before.get(fact.id) ?? {};
    const found = lineages.get(fact.id) ?? [];
    const failure = failureAt(requestFailedAt, requestFailure);
    const status = computeStatus(await factsOf(tx, fact, { requestFailure: failure, lineages: found }));
    const unicodeName = domainToUnicode(fact.fqdn.replace(/^\*\./, ''));
    const isAscii = unicodeName === '' || fact.fqdn.endsWith(unicodeName);
    rows.push({
      ...status,
      id: fact.id,
      spaceId: fact.spaceId,
      fqdn: fact.fqdn,
      unicodeName: isAscii ? null : unicodeName,
      labels: labelsText(fact),
      renewalEnabled: fact.renewalEnabled,
      providerId: fact.issuerId ?? fact.providerId,
      expiresAt: status.expiresAt ?? noDate,
      renewAt: status.renewAt ?? noDate,
      attentionAt: status.attentionAt ?? noDate,
      requestFailedAt,
      requestFailure,
      lineages: writeLineages(found.map(({ certificate }) => certificate.id)),
      updatedAt: now,
    });
  }
  return rows;
}

/** The facts that decide how an FQDN stands; undefined when there is none of that id. */
export async function readStatusFacts(tx: Tx, fqdnId: string): Promise<StatusFacts | undefined> {
  return (await listStatusFacts(tx, [fqdnId])).get(fqdnId);
}

/** The facts that decide how FQDNs stand, by their ids; those that do not exist are left out. */
export async function listStatusFacts(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<ReadonlyMap<string, StatusFacts>> {
  if (fqdnIds.length === 0) return new Map();
  const stored = new Map((await findRows(tx, fqdnStatuses, { id: fqdnIds })).map((row) => [row.id, row]));
  const facts = new Map<string, StatusFacts>();
  const rows = await readFacts(tx, fqdnIds);
  const lineages = await lineagesOf(tx, rows);
  for (const fact of rows) {
    const { requestFailedAt = null, requestFailure = null } = stored.get(fact.id) ?? {};
    const failure = failureAt(requestFailedAt, requestFailure);
    const found = lineages.get(fact.id) ?? [];
    facts.set(fact.id, await factsOf(tx, fact, { requestFailure: failure, lineages: found }));
  }
  return facts;
}

function lineagesOf(tx: Tx, facts: readonly FactRow[]): Promise<ReadonlyMap<string, readonly Lineage[]>> {
  return readLineages(
    tx,
    facts.flatMap(({ id, hasLineages }) => (hasLineages ? [id] : [])),
  );
}

async function factsOf(
  tx: Tx,
  fact: FactRow,
  { requestFailure, lineages }: Required<Pick<StatusFacts, 'lineages'>> & Pick<StatusFacts, 'requestFailure'>,
): Promise<StatusFacts> {
  const certificate = certificateOf(fact);
  const { windowStart: start, windowEnd: end } = fact;
  const isForNewest = fact.openCertificateId === fact.certificateId;
  const window = isForNewest && start !== null && end !== null ? { start, end } : undefined;
  const { hasCsr } = fact;
  const isRenewedByClient = fact.acmeClientId !== null && lineages.length > 0;
  const outlook = await computeOutlook(tx, fact, { certificate, hasCsr, window, isRenewedByClient });
  const hasFailed = fact.triedStatus === 'failed' && fact.triedCertificateId === fact.certificateId;
  return {
    renewalEnabled: fact.renewalEnabled,
    expiryAcceptedUntil: fact.expiryAcceptedUntil,
    certificate,
    lineages,
    outlook,
    dueAt: outlook.isPlanned ? outlook.plan.renewAt : dueAtOf(fact, certificate, window),
    scheduledAt: fact.scheduledAt ?? undefined,
    isProviderDisabled: fact.isProviderEnabled === false,
    refusal: failureAt(fact.refusedSince, fact.refusal),
    renewalFailure: hasFailed
      ? failureAt(fact.triedAt, fact.triedReason ?? 'unknown', fact.triedAttempt ?? 1)
      : undefined,
    requestFailure,
    served: failureAt(fact.servedSince, fact.servedFault),
  };
}

/** When the certificate should be renewed although nothing does it; as the watch has it. */
function dueAtOf(
  { renewAfterPermille, providerId }: FactRow,
  certificate: PlannedCertificate | undefined,
  window: { readonly start: Date; readonly end: Date } | undefined,
): Date | undefined {
  if (certificate === undefined) return undefined;
  const { id: seed, notBefore, expiresAt: notAfter } = certificate;
  const terms = { notBefore, notAfter, seed };
  if ((certificate.providerId ?? providerId) === null) return planRenewal(terms).renewAt;
  const fraction = renewAfterPermille === null ? undefined : renewAfterPermille / 1000;
  return planRenewal({ ...terms, window, fraction }).renewAt;
}

function certificateOf(fact: FactRow): PlannedCertificate | undefined {
  const { id: fqdnId, certificateId: id, notBefore, expiresAt, storedAt: createdAt, spkiSha256 } = fact;
  if (id === null || notBefore === null || expiresAt === null) return undefined;
  if (createdAt === null || spkiSha256 === null) return undefined;
  const { issuerId: providerId, revokedAt, revocationReason, acmeClientId } = fact;
  const facts = { providerId, revokedAt, revocationReason, acmeClientId };
  return { id, fqdnId, notBefore, expiresAt, createdAt, spkiSha256, ...facts };
}

function failureAt(at: Date | null, reason: string | null, attempt?: number): DatedFailure | undefined {
  if (at === null || reason === null) return undefined;
  return { at, reason, ...(attempt !== undefined && { attempt }) };
}
