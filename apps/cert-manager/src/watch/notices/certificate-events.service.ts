import { type Tx, yieldBetween } from '@certloop/db';
import { nilUuid } from '../../access/caller.js';
import { chainHint, endsView } from '../../certificates/in-use.js';
import type { DbDeps } from '../../db-deps.js';
import type { NoticeDeps, Notices } from '../../events/notices.service.js';
import { findFqdn } from '../../fqdns/fqdns.repository.js';
import type { LineagesChanged } from '../../front/lineages/lineage-events.service.js';
import type { FailedRenewal } from '../../renewals/queue/settle-renewal.service.js';
import { computeStatus, type StatusFacts, type StatusOutlook } from '../../statuses/computed-status.js';
import { clientNews, outlookHints, renewalStoppedText, sentenceOf } from '../../statuses/fqdn-status.js';
import { failedOrderText, type SpokenLineages, spokenOf } from '../../statuses/lineages/lineage-text.js';
import { listStatusFacts } from '../../statuses/status-rows.service.js';
import { listExpiring } from '../expiry/expiring.repository.js';
import { isExpiryNews, isFailureNews } from './event-rules.js';

/** Records that a renewal failed, in the transaction that ends it, if a person has to act. */
export async function recordFailedNotice(
  tx: Tx,
  { entry, fault }: FailedRenewal,
  { notices, clock }: NoticeDeps,
): Promise<void> {
  if (notices === undefined) return;
  const { id: entryId, fqdnId, spaceId, certificateId, isTest, attempt } = entry;
  const { reason, isPermanent, nextTryAt, isLongExpired } = fault;
  if (isTest || !isFailureNews({ attempt, isPermanent, isLongExpired, isLast: nextTryAt === undefined }))
    return;
  const fqdn = (await findFqdn(tx, fqdnId))?.fqdn ?? fqdnId;
  const next =
    nextTryAt === undefined
      ? 'No further try is planned: see the explanation of its renewal.'
      : `The next try is at ${nextTryAt.toISOString()}; see the explanation of its renewal.`;
  const message = `The certificate of ${fqdn} could not be renewed (try ${attempt}): ${reason}. ${next}`;
  await notices.record(tx, {
    type: 'certificate.failed',
    subject: fqdnId,
    spaceId,
    // once a day: a permanent fault fails again each day
    onceKey: `certificate.failed:${certificateId}:${clock.now().toISOString().slice(0, 10)}`,
    data: {
      message,
      fqdn,
      fqdnId,
      spaceId,
      certificateId,
      entryId,
      attempt,
      reason,
      ...(nextTryAt !== undefined && { nextTryAt: nextTryAt.toISOString() }),
    },
  });
}

// the facts of as many are read by one statement
const slice = 200;

/** Records once for each certificate in use that nothing has replaced it by the time from which its check fails. */
export async function noticeExpiring({
  db,
  clock,
  notices,
}: DbDeps & { readonly notices: Notices }): Promise<void> {
  let after: Parameters<typeof listExpiring>[1] = { attentionAt: new Date(0), fqdnId: nilUuid };
  for await (const _round of yieldBetween()) {
    const now = clock.now();
    const { rows, facts } = await db.longRead(async (tx) => {
      const found = await listExpiring(tx, after, now, slice);
      const ids = found.map(({ fqdnId }) => fqdnId);
      return { rows: found, facts: await listStatusFacts(tx, ids) };
    });
    const news = rows.flatMap((row) => {
      const known = facts.get(row.fqdnId);
      return known !== undefined && isExpiryNews(known, now) ? [eventOf(row, known, now)] : [];
    });
    if (news.length > 0) {
      await db.transaction(async (tx) => {
        for (const event of news) await notices.record(tx, event);
      });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < slice) return;
    after = last;
  }
}

function eventOf(row: Awaited<ReturnType<typeof listExpiring>>[number], facts: StatusFacts, now: Date) {
  const { id: certificateId, fqdnId, fqdn, spaceId, serialNumber } = row;
  const { renewalEnabled } = facts;
  const hint = chainHint(row);
  const status = computeStatus(facts);
  const { outlook } = status;
  const isStopped = !renewalEnabled && row.isAdopting;
  const lineages = spokenOf(facts.lineages ?? []);
  const late = clientNews(status, lineages, { isLate: true, now });
  const what = `The certificate of ${fqdn} expires on ${row.expiresAt.toISOString()}`;
  const news =
    late === undefined
      ? `${what}, and ${isStopped ? `${renewalStoppedText}.` : missingText(outlook)}`
      : sentenceOf(late);
  const message = hint === undefined ? news : `${news} ${hint}`;
  const ofClient = late === undefined ? {} : lateFacts(lineages);
  const certificate = { certificateId, serialNumber, ...endsView(row) };
  return {
    type: 'certificate.expiring',
    subject: fqdnId,
    spaceId,
    onceKey: `certificate.expiring:${row.lateId}`,
    data: { message, fqdn, fqdnId, spaceId, ...certificate, ...ofClient, renewalEnabled },
  } as const;
}

/** The certificate of the ACME client that is late, which need not be the newest one, and the client. */
function lateFacts(lineages: SpokenLineages | undefined) {
  if (lineages === undefined) return {};
  const [{ client, certificate }] = lineages.lineages;
  const { id: certificateId, serialNumber, expiresAt } = certificate;
  return { certificateId, serialNumber, expiresAt: expiresAt.toISOString(), acmeClient: client.name };
}

/** Records that an ACME client failed to renew, at most once a day and certificate. */
export async function recordClientNotice(
  tx: Tx,
  { fqdns, cause }: LineagesChanged,
  { notices, clock }: NoticeDeps,
): Promise<void> {
  if (notices === undefined || cause !== 'failed') return;
  const now = clock.now();
  const facts = await listStatusFacts(
    tx,
    fqdns.map(({ id }) => id),
  );
  for (const { id: fqdnId, spaceId } of fqdns) {
    const known = facts.get(fqdnId);
    const lineages = spokenOf(known?.lineages ?? []);
    const worst = lineages?.lineages[0];
    if (lineages === undefined || worst?.failure === undefined) continue;
    const { failure, fqdn } = worst;
    await notices.record(tx, {
      type: 'certificate.failed',
      subject: fqdnId,
      spaceId,
      onceKey: `certificate.failed:${worst.certificate.id}:${now.toISOString().slice(0, 10)}`,
      data: {
        message: sentenceOf(failedOrderText(lineages, now)),
        ...{ fqdn, fqdnId, spaceId },
        ...lateFacts(lineages),
        reason: failure.reason,
      },
    });
  }
}

/** Returns a sentence about the first thing that the renewal lacks. */
function missingText(outlook: StatusOutlook): string {
  if (outlook === 'planned')
    return 'its renewal is on but has not succeeded: see the explanation of its renewal.';
  if (outlook === 'switched_off')
    return 'it is not renewed: switch renewal on, request a certificate, or upload a new CSR and have it signed.';
  return `it is not renewed. ${outlookHints[outlook]}`;
}
