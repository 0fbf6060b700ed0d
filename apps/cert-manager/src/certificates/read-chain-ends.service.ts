import { InvalidInput } from '@certloop/contracts';
import { type Database, executeSql, placeholders, querySql, type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { nilUuid } from '../access/caller.js';
import { findFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { describeLeaf, type LeafFacts } from '../judging/issued-certificate.js';
import {
  type CertificateRow,
  certificates,
  findCertificate,
  updateCertificate,
} from './certificates.repository.js';
import type { CertificateEvents } from './store-certificates.service.js';

export interface ChainEndDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly emit: CertificateEvents;
}

const slice = 100;

type UnreadRow = Pick<CertificateRow, 'id' | 'fqdnId' | 'pem' | 'expiresAt'>;

/**
 * Reads the chains of certificates that an earlier version stored, and stores when they end, in slices. What depends on
 * the newest certificate of an FQDN follows, if its chain ends before it does.
 */
export async function readChainEnds(deps: ChainEndDeps): Promise<void> {
  const { db, logger } = deps;
  let [read, earlier, last] = [0, 0, nilUuid];
  for await (const _round of yieldBetween()) {
    const rows = await db.longRead((tx) => listUnread(tx, last));
    const same: string[] = [];
    for await (const row of yieldBetween(rows)) {
      const facts = factsOf(row);
      if (facts === undefined || facts.expiresAt >= facts.leafExpiresAt) same.push(row.id);
      else if (await db.transaction((tx) => storeEarlierEnd(tx, deps, row, facts))) earlier += 1;
    }
    if (same.length > 0) await db.transaction((tx) => markRead(tx, same));
    read += rows.length;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < slice) break;
  }
  if (read > 0) logger.info({ read, earlier }, 'certificates.chains_read');
}

/** Undefined for a text that is no chain, which no release has stored. */
function factsOf({ pem }: UnreadRow): LeafFacts | undefined {
  try {
    return describeLeaf(pem);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

function listUnread(tx: Tx, last: string): Promise<UnreadRow[]> {
  const { id, fqdnId, pem, expiresAt } = certificates.columns;
  const text = `select id, fqdn_id, pem, expires_at from certificates
    where leaf_expires_at is null and id > $1 order by id limit ${slice}`;
  return querySql<UnreadRow>(tx, { id, fqdnId, pem, expiresAt }, text, [last]);
}

async function markRead(tx: Tx, ids: readonly string[]): Promise<void> {
  const text = `update certificates set leaf_expires_at = expires_at
    where id in (${placeholders(ids.length)}) and leaf_expires_at is null`;
  await executeSql(tx, text, ids);
}

/** Whether the row was still there and unread. */
async function storeEarlierEnd(
  tx: Tx,
  { emit }: ChainEndDeps,
  { id, fqdnId }: UnreadRow,
  { expiresAt, leafExpiresAt }: LeafFacts,
): Promise<boolean> {
  const found = await findFqdn(tx, fqdnId);
  if (found === undefined) return false;
  const fqdn = await lockFqdn(tx, found.spaceId, fqdnId);
  const row = await findCertificate(tx, id);
  // another process has read it, or it was refreshed
  if (row === undefined || row.leafExpiresAt !== null) return false;
  await updateCertificate(tx, id, { expiresAt, leafExpiresAt });
  if (row.replacedAt === null) await emit.certificateRefreshed(tx, { fqdn });
  return true;
}
