import { InvalidInput } from '@certloop/contracts';
import { executeSql, querySql, type SqlValue, type Tx, yieldBetween } from '@certloop/db';
import { nilUuid } from '../access/caller.js';
import { describeLeaf, type LeafFacts } from '../judging/issued-certificate.js';
import { type CertificateRow, certificates } from './certificates.repository.js';
import { isNewest } from './in-use.js';
import type { ChainEndDeps } from './read-chain-ends.service.js';

const slice = 100;

type Unread = Pick<CertificateRow, 'id' | 'pem'>;
type KeyFacts = Pick<LeafFacts, 'keyKind' | 'authoritySha256'>;

/** Reads and stores key and authority of the newest certificates that an earlier version stored, in slices. */
export async function readCertificateKeys({ db, logger }: Omit<ChainEndDeps, 'emit'>): Promise<void> {
  let [read, last] = [0, nilUuid];
  for await (const _round of yieldBetween()) {
    const rows = await db.longRead((tx) => listUnreadKeys(tx, last));
    const found: (KeyFacts & { readonly id: string })[] = [];
    for await (const row of yieldBetween(rows)) found.push({ id: row.id, ...keyFactsOf(row) });
    if (found.length > 0) await db.transaction((tx) => storeKeys(tx, found));
    read += rows.length;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < slice) break;
  }
  if (read > 0) logger.info({ read }, 'certificates.keys_read');
}

function keyFactsOf({ pem }: Unread): KeyFacts {
  try {
    const { keyKind, authoritySha256 } = describeLeaf(pem);
    return { keyKind, authoritySha256 };
  } catch (error) {
    // a text that is no chain, which no release has stored
    if (error instanceof InvalidInput) return { keyKind: 'other', authoritySha256: null };
    throw error;
  }
}

function listUnreadKeys(tx: Tx, last: string): Promise<Unread[]> {
  const { id, pem } = certificates.columns;
  const text = `select id, pem from certificates
    where ${isNewest} and key_kind is null and id > $1 order by id limit ${slice}`;
  return querySql<Unread>(tx, { id, pem }, text, [last]);
}

async function storeKeys(tx: Tx, all: readonly (KeyFacts & { readonly id: string })[]): Promise<void> {
  const groups = new Map<string, typeof all>();
  for (const one of all) {
    const group = `${one.keyKind} ${one.authoritySha256 ?? ''}`;
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  for (const group of groups.values()) {
    const values: SqlValue[] = [group[0]?.keyKind ?? null, group[0]?.authoritySha256 ?? null];
    const ids = group.map(({ id }) => `$${values.push(id)}`);
    const text = `update certificates set key_kind = $1, authority_sha256 = $2
      where id in (${ids.join(', ')}) and key_kind is null`;
    await executeSql(tx, text, values);
  }
}
