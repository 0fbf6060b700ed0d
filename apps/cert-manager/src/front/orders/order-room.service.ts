import type { Tx } from '@certloop/db';
import type { AcmeClientRow } from '../../acme-clients/acme-client.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findCertificate } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import { kindOf } from '../../providers/provider-kinds.js';
import type { ProviderRow } from '../../providers/providers.repository.js';
import { endOfLimit, limitPeriods } from '../rules/order-limits.js';
import { rateLimited } from '../rules/rate-limited.js';
import { isReusable } from '../rules/reuse.js';
import { findNthOrder, findSameOrder, type SameOrder } from './found-orders.repository.js';
import type { ServerOrderRow } from './server-orders.repository.js';

/** Throws `rateLimited` if the client has placed as many orders as it may in a day. */
export async function requireOrderRoom(
  tx: Tx,
  { id: clientId, maxOrdersPerDay: count }: Pick<AcmeClientRow, 'id' | 'maxOrdersPerDay'>,
  now: Date,
): Promise<void> {
  const since = new Date(now.getTime() - limitPeriods.day);
  const oldest = await findNthOrder(tx, { clientId }, { since, now, count });
  const end = endOfLimit(oldest, limitPeriods.day, now);
  if (end !== undefined) throw rateLimited(`this ACME client may place ${count} orders a day`, end, now);
}

/**
 * Throws `rateLimited` if the provider has issued as many certificates for the identifiers as it may in a week, unless the
 * last one may answer the order.
 */
export async function requireWeeklyRoom(
  tx: Tx,
  order: SameOrder,
  provider: ProviderRow,
  now: Date,
): Promise<void> {
  const end = await endOfWeeklyLimit(tx, order, provider, now);
  if (end === undefined) return;
  const former = await findSameOrder(tx, order);
  if ((await findReusable(tx, former, now)) !== undefined) return;
  throw weeklyLimit(provider, end, now);
}

/** Throws `rateLimited` if the provider has issued as many certificates for the identifiers as it may in a week. */
export async function requireIssuanceRoom(
  tx: Tx,
  order: SameOrder,
  provider: ProviderRow,
  now: Date,
): Promise<void> {
  const end = await endOfWeeklyLimit(tx, order, provider, now);
  if (end !== undefined) throw weeklyLimit(provider, end, now);
}

async function endOfWeeklyLimit(
  tx: Tx,
  { spaceId, identifiersKey, providerId }: SameOrder,
  provider: ProviderRow,
  now: Date,
): Promise<Date | undefined> {
  const { maxPerNamesPerWeek: count } = kindOf(provider);
  if (count === undefined) return undefined;
  const since = new Date(now.getTime() - limitPeriods.week);
  const oldest = await findNthOrder(tx, { spaceId, identifiersKey, providerId }, { since, now, count });
  return endOfLimit(oldest, limitPeriods.week, now);
}

function weeklyLimit(provider: ProviderRow, end: Date, now: Date) {
  const { maxPerNamesPerWeek: count } = kindOf(provider);
  return rateLimited(
    `the provider ${provider.name} issues ${count} certificates a week for the same names, and has`,
    end,
    now,
  );
}

/**
 * The certificate that the client was issued by a former order for the same just before; undefined if it cannot answer
 * another order. The key is not judged.
 */
export async function findReusable(
  tx: Tx,
  former: ServerOrderRow | undefined,
  now: Date,
): Promise<CertificateRow | undefined> {
  if (former === undefined || former.certificateId === null) return undefined;
  const certificate = await findCertificate(tx, former.certificateId);
  if (certificate === undefined) return undefined;
  const { createdAt, notBefore, revokedAt } = certificate;
  const terms = { createdAt, notBefore, notAfter: leafEndOf(certificate), isRevoked: revokedAt !== null };
  return isReusable({ ...terms, isKeyCompromised: false }, now) ? certificate : undefined;
}
