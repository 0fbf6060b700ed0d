import { type Database, type Tx, yieldBetween } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { nilUuid } from '../../access/caller.js';
import { chainHint, endsView } from '../../certificates/in-use.js';
import type { Notices } from '../../events/notices.service.js';
import { findFqdn } from '../../fqdns/fqdns.repository.js';
import type { RenewalFault } from '../../renewals/queue/settle-renewal.service.js';
import type { RenewalRow } from '../../renewals/renewals.repository.js';
import { listExpiring } from '../expiry/expiring.repository.js';
import { isExpiryNews, isFailureNews } from './event-rules.js';

/** Records that a renewal failed, in the transaction that ends it, if a person has to act. */
export async function recordFailedRenewal(
  tx: Tx,
  { notices, clock }: { readonly notices: Notices; readonly clock: Clock },
  { id: entryId, fqdnId, spaceId, certificateId, isTest, attempt }: RenewalRow,
  { reason, isPermanent, nextTryAt, isLongExpired }: RenewalFault,
): Promise<void> {
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

const slice = 500;

/** Records once for each certificate in use that it expires soon and nothing has renewed it. */
export async function noticeExpiring({
  db,
  clock,
  notices,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly notices: Notices;
}): Promise<void> {
  let after: Parameters<typeof listExpiring>[1] = { expiresAt: clock.now(), fqdnId: nilUuid };
  for await (const _round of yieldBetween()) {
    const rows = await db.longRead((tx) => listExpiring(tx, after, clock.now(), slice));
    const news = rows.filter((row) => isExpiryNews(row, clock.now()));
    if (news.length > 0) {
      await db.transaction(async (tx) => {
        for (const row of news) await notices.record(tx, eventOf(row));
      });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < slice) return;
    after = last;
  }
}

function eventOf(row: Awaited<ReturnType<typeof listExpiring>>[number]) {
  const { id: certificateId, fqdnId, fqdn, spaceId, serialNumber, renewalEnabled } = row;
  const hint = chainHint(row);
  const state = renewalEnabled
    ? 'its renewal is on but has not succeeded: see the explanation of its renewal'
    : 'it is not renewed: switch renewal on, request a certificate, or upload a new CSR and have it signed';
  const news = `The certificate of ${fqdn} expires on ${row.expiresAt.toISOString()}, and ${state}.`;
  const message = hint === undefined ? news : `${news} ${hint}`;
  return {
    type: 'certificate.expiring',
    subject: fqdnId,
    spaceId,
    onceKey: `certificate.expiring:${certificateId}`,
    data: { message, fqdn, fqdnId, spaceId, certificateId, serialNumber, ...endsView(row), renewalEnabled },
  } as const;
}
