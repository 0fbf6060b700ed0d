import type { RenewalInfo } from '@certloop/acme-server';
import type { Tx } from '@certloop/db';
import { type CertificateRow, findCertificate } from '../../certificates/certificates.repository.js';
import { findKeyRefusal } from '../../certificates/compromised-keys.repository.js';
import type { FrontDeps } from '../front-deps.service.js';
import { listOrdersByRenewalId } from '../orders/found-orders.repository.js';
import type { ServerOrderRow } from '../orders/server-orders.repository.js';
import { listInfoReaders, noteInfoRead } from './info-reads.repository.js';

const retryAfterSeconds = 6 * 3600;
const second = 1000;

/**
 * When to renew the certificate: as the scheduler would, or at once if it was revoked or its key is compromised. Undefined for an
 * identifier that no client was given. Notes the window for each account that was last seen with the same user agent.
 */
export async function readRenewalInfo(
  deps: FrontDeps,
  renewalId: string,
  reader: { readonly userAgent: string; readonly explanationUrl: string },
): Promise<RenewalInfo | undefined> {
  const found = await deps.db.read((tx) => findInfo(tx, renewalId));
  if (found === undefined) return undefined;
  const { orders, certificate, isKeyCompromised } = found;
  const { explanationUrl, userAgent } = reader;
  const now = deps.clock.now();
  const endedAt = certificate.revokedAt ?? (isKeyCompromised ? now : undefined);
  const window =
    endedAt === undefined
      ? await deps.renewalWindow(certificate)
      : { start: new Date(endedAt.getTime() - 2 * second), end: new Date(endedAt.getTime() - second) };
  await noteReaders(deps, orders, { userAgent, windowEnd: window.end });
  return { window, explanationUrl, retryAfterSeconds };
}

interface Found {
  readonly orders: readonly ServerOrderRow[];
  readonly certificate: CertificateRow;
  readonly isKeyCompromised: boolean;
}

async function findInfo(tx: Tx, renewalId: string): Promise<Found | undefined> {
  const orders = await listOrdersByRenewalId(tx, renewalId);
  const id = orders[0]?.certificateId;
  const certificate = id === undefined || id === null ? undefined : await findCertificate(tx, id);
  if (certificate === undefined) return undefined;
  return { orders, certificate, isKeyCompromised: (await findKeyRefusal(tx, certificate)) !== undefined };
}

async function noteReaders(
  { db, clock, emit }: FrontDeps,
  orders: readonly ServerOrderRow[],
  { userAgent, windowEnd }: { readonly userAgent: string; readonly windowEnd: Date },
): Promise<void> {
  const unread = orders.filter(({ infoWindowEnd }) => infoWindowEnd?.getTime() !== windowEnd.getTime());
  if (unread.length === 0) return;
  const ids = await db.read((tx) => listInfoReaders(tx, unread, userAgent));
  if (ids.length === 0) return;
  await db.transaction(async (tx) => {
    const noted = await noteInfoRead(tx, ids, { now: clock.now(), windowEnd });
    const places = new Map(noted.map(({ fqdnId: id, spaceId }) => [id, { id, spaceId }]));
    if (places.size > 0) await emit.lineagesChanged(tx, { fqdns: [...places.values()], cause: 'read' });
  });
}
