import type { ClientNames } from '@certloop/contracts';
import { Conflict, NotFound } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  findRow,
  type ListPage,
  type ListWindow,
  lockForUpdate,
  onUniqueViolation,
  querySql,
  readListPage,
  type Tx,
  updateRows,
} from '@certloop/db';
import { maxNamed, type ProviderUsers } from '../providers/provider-users.repository.js';
import type { AcmeClientRow } from './acme-client.js';

const place = ['spaceId', 'name'] as const;

export const acmeClients = defineTable('acme_clients', {
  columns: {
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    name: column.word(64),
    kid: column.word(32),
    hmacKeySealed: column.text(),
    names: column.json<ClientNames>().nullable(),
    providerId: column.uuid().nullable(),
    createFqdns: column.boolean(),
    mayTakeOver: column.boolean(),
    allowedCidrs: column.json<readonly string[]>(),
    expiresAt: column.instant().nullable(),
    maxOrdersPerDay: column.integer(),
    maxAccounts: column.integer(),
    createdById: column.uuid(),
    createdByName: column.text(),
    createdAt: column.instant(),
    changedAt: column.instant(),
    keyChangedAt: column.instant(),
  },
  indexes: [
    { columns: ['kid'], unique: true },
    { columns: place, unique: true },
    { columns: ['spaceId', 'createdAt', 'id'] },
    { columns: ['providerId'], where: 'provider_id is not null' },
  ],
  references: [{ columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' }],
});

const taken = () =>
  new Conflict('name: the space already has an ACME client of this name', {
    code: 'acme_client_exists',
    title: 'ACME client already exists',
    fields: [{ path: 'name', code: 'acme_client_exists', message: 'is the name of another ACME client' }],
  });

/** Throws Conflict if the space has a client of the same name. */
export async function insertAcmeClient(tx: Tx, row: AcmeClientRow): Promise<void> {
  await onUniqueViolation(() => tx.insert(acmeClients, row), taken, place);
}

/** Changes a client that is locked. Throws as insertAcmeClient does. */
export async function updateAcmeClientRow(tx: Tx, id: string, change: Partial<AcmeClientRow>): Promise<void> {
  await onUniqueViolation(() => updateRows(tx, acmeClients, { id }, change), taken, place);
}

export async function deleteAcmeClientRow(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, acmeClients, { id });
}

export async function findAcmeClient(tx: Tx, id: string): Promise<AcmeClientRow | undefined> {
  return findRow(tx, acmeClients, { id });
}

export async function findAcmeClientByKid(tx: Tx, kid: string): Promise<AcmeClientRow | undefined> {
  return findRow(tx, acmeClients, { kid });
}

/** The client of the space. Throws NotFound. */
export async function findClientOfSpace(tx: Tx, spaceId: string, id: string): Promise<AcmeClientRow> {
  const row = await findRow(tx, acmeClients, { id, spaceId });
  if (row === undefined) throw acmeClientNotFound();
  return row;
}

/** The client of the space, locked until the transaction ends. Throws NotFound. */
export async function lockClientOfSpace(tx: Tx, spaceId: string, id: string): Promise<AcmeClientRow> {
  const [row] = await lockForUpdate(tx, acmeClients, { id, spaceId });
  if (row === undefined) throw acmeClientNotFound();
  return row;
}

function acmeClientNotFound(): NotFound {
  return new NotFound('ACME client not found', {
    code: 'acme_client_not_found',
    title: 'ACME client not found',
  });
}

export async function countClientsOfSpace(tx: Tx, spaceId: string): Promise<number> {
  return tx.countBy(acmeClients, { spaceId });
}

/** Clients of a space, oldest first. */
export function readClientPage(
  tx: Tx,
  spaceId: string,
  window: ListWindow,
): Promise<ListPage<AcmeClientRow>> {
  return readListPage(tx, { table: acmeClients, by: 'createdAt', where: { space_id: [spaceId] } }, window);
}

/** Clients that name a provider. */
export async function findClientsOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  const text = 'select name from acme_clients where provider_id = $1 order by name, id';
  const rows = await querySql(tx, { name: acmeClients.columns.name }, text, [providerId]);
  return { count: rows.length, fqdnIds: [], names: rows.slice(0, maxNamed).map(({ name }) => name) };
}
