import { Conflict, NotFound } from '@certloop/contracts';
import {
  column,
  constraintViolation,
  defineTable,
  findRow,
  findRows,
  insertMany,
  type ListPage,
  type ListWindow,
  lockForUpdate,
  onUniqueViolation,
  type RowOf,
  readListPage,
  type Tx,
} from '@certloop/db';
import { In, MoreThan } from 'typeorm';
import { spaceNotFound } from '../access/permissions.js';
import { findProviderUsers, type ProviderUsers } from '../providers/provider-users.repository.js';
import type { SpaceScope } from '../spaces/spaces.repository.js';

export const fqdns = defineTable('fqdns', {
  columns: {
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    /** Normal form of the host name. */
    fqdn: column.word(253),
    description: column.text(),
    providerId: column.uuid().nullable(),
    renewalEnabled: column.boolean(),
    /** Thousandths of a certificate's lifetime after which it is renewed; null for the usual share. */
    renewAfterPermille: column.integer().nullable(),
    /** Until when users have accepted that the certificate expires. */
    expiryAcceptedUntil: column.instant().nullable(),
    /** Who is responsible for it, as people entered it. */
    owner: column.text().nullable(),
    tags: column.json<readonly string[]>().nullable(),
    createdAt: column.instant(),
  },
  indexes: [
    { columns: ['spaceId', 'fqdn'], unique: true },
    { columns: ['spaceId', 'createdAt', 'id'] },
    { columns: ['createdAt', 'id'] },
  ],
  references: [
    { columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' },
    { columns: ['providerId'], table: 'providers', onDelete: 'SET NULL' },
  ],
});

export type FqdnRow = RowOf<typeof fqdns>;

/** Throws Conflict when the space has the FQDN already, NotFound when the space is gone. */
export async function insertFqdn(tx: Tx, row: FqdnRow): Promise<void> {
  const taken = () =>
    new Conflict(`${row.fqdn} already exists in this space`, {
      code: 'fqdn_exists',
      title: 'FQDN already exists in the space',
    });
  try {
    await onUniqueViolation(() => insertMany(tx, fqdns, [row]), taken, ['spaceId', 'fqdn']);
  } catch (error) {
    // the provider is locked by the transaction that names it, so the missing one is the space
    if (constraintViolation(error)?.kind === 'foreign_key') throw spaceNotFound();
    throw error;
  }
}

/** An FQDN of any space. */
export async function findFqdn(tx: Tx, id: string): Promise<FqdnRow | undefined> {
  return findRow(tx, fqdns, { id });
}

/** Throws NotFound when the space has no such FQDN. */
export async function getFqdn(tx: Tx, spaceId: string, id: string): Promise<FqdnRow> {
  const row = await findRow(tx, fqdns, { id, spaceId });
  if (row === undefined) throw fqdnNotFound();
  return row;
}

/** Ids of those of the names, in their normal form, that a space has. */
export async function findFqdnIds(
  tx: Tx,
  spaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await findRows(tx, fqdns, { spaceId, fqdn: names });
  return new Map(rows.map(({ id, fqdn }) => [fqdn, id]));
}

/** Returns the FQDNs of these ids that exist, of any space; at least one id is given. */
export function listFqdnsById(tx: Tx, ids: readonly string[]): Promise<FqdnRow[]> {
  return findRows(tx, fqdns, { id: ids });
}

/**
 * The FQDN, locked until the transaction ends: another transaction that locks it waits, and then sees what this one
 * stored. Lock it before you add anything to it. Throws NotFound if the space has no such FQDN.
 */
export async function lockFqdn(tx: Tx, spaceId: string, id: string): Promise<FqdnRow> {
  const [row] = await lockForUpdate(tx, fqdns, { id, spaceId });
  if (row === undefined) throw fqdnNotFound();
  return row;
}

/** Returns the FQDNs of these ids that exist, locked as by lockFqdn. */
export function lockFqdns(tx: Tx, ids: readonly string[]): Promise<FqdnRow[]> {
  return lockForUpdate(tx, fqdns, { id: In([...ids]) });
}

/** FQDNs with automatic renewal in the order of their ids, of all spaces: those after `last`, at most `limit`. */
export async function listRenewedFqdnsAfter(tx: Tx, last: string, limit: number): Promise<FqdnRow[]> {
  const where = { renewalEnabled: true, ...(last !== '' && { id: MoreThan(last) }) };
  return tx.find(fqdns, { where, order: { id: 'ASC' }, take: limit });
}

/** FQDNs that name a provider. */
export function findFqdnsOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  return findProviderUsers(tx, { table: 'fqdns', fqdnId: 'id', condition: 'provider_id = $1' }, [providerId]);
}

/** How many FQDNs the spaces hold. */
export async function countFqdnRows(tx: Tx, scope: SpaceScope): Promise<number> {
  return scope === 'all' ? tx.count(fqdns) : tx.countBy(fqdns, { spaceId: In([...scope]) });
}

/** The refusal for an FQDN that the space does not have. */
export function fqdnNotFound(message = 'FQDN not found in this space'): NotFound {
  return new NotFound(message, { code: 'fqdn_not_found', title: 'FQDN not found' });
}

/** FQDNs of a space, oldest first. */
export function readFqdnPage(tx: Tx, spaceId: string, window: ListWindow): Promise<ListPage<FqdnRow>> {
  return readListPage(tx, { table: fqdns, by: 'createdAt', where: { space_id: [spaceId] } }, window);
}
