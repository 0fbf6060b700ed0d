import { type BodyOf, type certManagerContract, InvalidInput } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import type { KeyRing } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { requireLevel, spaceNotFound } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import { lockSpace } from '../spaces/spaces.repository.js';
import type { AcmeClientRow } from './acme-client.js';
import {
  countClientsOfSpace,
  deleteAcmeClientRow,
  insertAcmeClient,
  lockClientOfSpace,
  updateAcmeClientRow,
} from './acme-clients.repository.js';
import { type AcmeDirectory, addressWarnings, type ClientWarning } from './client-address.js';
import { clientAudit, settingsForAudit } from './client-audit.js';
import { createClientKey, sealHmacKey } from './client-key.service.js';
import { providerWarnings, requireClientProvider } from './client-provider.service.js';
import { requireAllowedNames } from './client-rules.service.js';
import { settingsOf, usualSettings } from './client-settings.js';

export interface AcmeClientDeps extends DbDeps {
  /** Keys that encrypt those of the clients; undefined where there are none. */
  readonly keyRing: KeyRing | undefined;
  readonly directory: AcmeDirectory;
  readonly emit: AcmeClientEvents;
}

/** Events of ACME clients; `changes/reactions.service.ts` lists what follows each of them. */
export interface AcmeClientEvents {
  /** The settings of the client were changed; it is locked. */
  acmeClientChanged(
    tx: Tx,
    event: { readonly client: Pick<AcmeClientRow, 'id' | 'spaceId' | 'names'> },
  ): Promise<void>;
  /** The client was deleted, so its accounts have ended. */
  acmeClientDeleted(
    tx: Tx,
    event: { readonly client: Pick<AcmeClientRow, 'id' | 'spaceId' | 'name'> },
  ): Promise<void>;
}

/** A client in its space. */
export interface ClientPlace {
  readonly spaceId: string;
  readonly id: string;
}

/** A client with its key, which is shown this once. */
export interface KeyedClient {
  readonly row: AcmeClientRow;
  readonly hmacKey: string;
  readonly warnings: readonly ClientWarning[];
}

const maxPerSpace = 1000;

/**
 * Creates a client and returns it with its key. Throws NotFound, Forbidden, Conflict for a name that another client of the
 * space has, and InvalidInput for what is not valid, for names that are missing or allow more than the policy of the space,
 * for a provider that cannot be used, and without keys to encrypt with.
 */
export async function createClientWithKey(
  { db, clock, keyRing, directory }: AcmeClientDeps,
  caller: Caller,
  input: { readonly spaceId: string } & BodyOf<typeof certManagerContract.createAcmeClient>,
): Promise<KeyedClient> {
  const { spaceId, name, ...sent } = input;
  requireLevel(caller, spaceId, 'FULL_ACCESS');
  const now = clock.now();
  const id = newRowId(now);
  const settings = settingsOf(sent, usualSettings, now);
  const { kid, hmacKey } = createClientKey();
  const hmacKeySealed = sealHmacKey(keyRing, id, hmacKey);
  const row: AcmeClientRow = {
    id,
    spaceId,
    name,
    kid,
    hmacKeySealed,
    ...settings,
    createdById: caller.userId,
    createdByName: caller.username,
    createdAt: now,
    changedAt: now,
    keyChangedAt: now,
  };
  const warnings = await db.transaction(async (tx) => {
    // so that two calls do not both take the last place
    if ((await lockSpace(tx, spaceId)) === undefined) throw spaceNotFound();
    const rules = await findRules(tx, spaceId);
    await requireAllowedNames(tx, spaceId, row.names, null);
    await requireClientProvider(tx, row.providerId, rules);
    if ((await countClientsOfSpace(tx, spaceId)) >= maxPerSpace) throw tooManyClients();
    await insertAcmeClient(tx, row);
    await recordAudit(
      tx,
      caller,
      clientAudit('acme_client.create', row, { after: settingsForAudit(row) }),
      now,
    );
    return providerWarnings(tx, row.providerId);
  });
  return { row, hmacKey, warnings: [...addressWarnings(directory), ...warnings] };
}

function tooManyClients(): InvalidInput {
  return new InvalidInput(`the space has ${maxPerSpace} ACME clients; delete one first`, {
    code: 'too_many_acme_clients',
    title: 'Too many ACME clients',
  });
}

/**
 * Replaces the key of a client: bindings with the former one are refused from now on, accounts that were registered with
 * it stay. Throws NotFound, Forbidden, and InvalidInput without keys to encrypt with.
 */
export async function rekeyAcmeClient(
  { db, clock, keyRing, directory }: AcmeClientDeps,
  caller: Caller,
  { spaceId, id }: ClientPlace,
): Promise<KeyedClient> {
  requireLevel(caller, spaceId, 'FULL_ACCESS');
  const { kid, hmacKey } = createClientKey();
  const hmacKeySealed = sealHmacKey(keyRing, id, hmacKey);
  return db.transaction(async (tx) => {
    const before = await lockClientOfSpace(tx, spaceId, id);
    const now = clock.now();
    const change = { kid, hmacKeySealed, keyChangedAt: now };
    await updateAcmeClientRow(tx, id, change);
    const details = { before: { kid: before.kid }, after: { kid } };
    await recordAudit(tx, caller, clientAudit('acme_client.rekey', before, details), now);
    const warnings = [...addressWarnings(directory), ...(await providerWarnings(tx, before.providerId))];
    return { row: { ...before, ...change }, hmacKey, warnings };
  });
}

/** Deletes a client: its key and its accounts end at once, its certificates stay. Throws NotFound and Forbidden. */
export async function deleteAcmeClient(
  { db, clock, emit }: AcmeClientDeps,
  caller: Caller,
  { spaceId, id }: ClientPlace,
): Promise<void> {
  requireLevel(caller, spaceId, 'FULL_ACCESS');
  await db.transaction(async (tx) => {
    const client = await lockClientOfSpace(tx, spaceId, id);
    await deleteAcmeClientRow(tx, id);
    await emit.acmeClientDeleted(tx, { client });
    const details = { before: settingsForAudit(client) };
    await recordAudit(tx, caller, clientAudit('acme_client.delete', client, details), clock.now());
  });
}
