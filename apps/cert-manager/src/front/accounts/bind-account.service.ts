import { randomBytes } from 'node:crypto';
import type { AskedBinding, NewAccount } from '@certloop/acme-server';
import { AcmeProblem } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import type { AcmeClientRow } from '../../acme-clients/acme-client.js';
import {
  findAcmeClient,
  findAcmeClientByKid,
  lockClientOfSpace,
} from '../../acme-clients/acme-clients.repository.js';
import { clientAudit } from '../../acme-clients/client-audit.js';
import { decoyClient, openHmacKey } from '../../acme-clients/client-key.service.js';
import { recordAudit } from '../../audit/audit.service.js';
import { callerOfClient, type FrontDeps, type FrontRequest, originOfRequest } from '../front-deps.service.js';
import { type FrontAccount, frontAccountOf } from '../front-records.service.js';
import { endOfLimit, limitPeriods } from '../rules/order-limits.js';
import { rateLimited } from '../rules/rate-limited.js';
import { findNthSeen, insertServerAccount } from './account-changes.repository.js';
import { admissionFault } from './client-admission.js';
import type { ServerAccountRow } from './server-accounts.repository.js';

// where there is no key ring, no client has a key
const noKey = randomBytes(32);

/**
 * The client that a new account is bound to. Throws `externalAccountRequired` without a binding, and `unauthorized` for an
 * unknown key identifier or a wrong MAC, and, audited, for a client that has expired or is used from elsewhere.
 */
export async function bindAccount(
  deps: FrontDeps,
  binding: AskedBinding | undefined,
  request: FrontRequest,
): Promise<AcmeClientRow> {
  if (binding === undefined) {
    throw new AcmeProblem(
      'externalAccountRequired',
      'an external account binding (externalAccountBinding) is required: administrators of a space create ACME clients with a key',
    );
  }
  const { kid } = binding;
  const client = kid === undefined ? undefined : await deps.db.read((tx) => findAcmeClientByKid(tx, kid));
  const { keyRing } = deps;
  // the same work for an unknown key identifier as for a wrong MAC
  const key = keyRing === undefined ? noKey : openHmacKey(keyRing, client ?? decoyClient(keyRing));
  if (!binding.isMadeWith(key) || client === undefined) {
    throw new AcmeProblem('unauthorized', 'the external account is unknown or its MAC is wrong');
  }
  const { ipAddress } = originOfRequest(request);
  const fault = admissionFault(client, ipAddress, deps.clock.now());
  if (fault === undefined) return client;
  await recordRefusedBinding(deps, client, request, fault);
  throw new AcmeProblem('unauthorized', fault);
}

/**
 * Stores an account of the client; undefined if its key has one by now. Throws `rateLimited`, audited, for one account too
 * many, and `unauthorized` if the client was deleted meanwhile.
 */
export async function insertBoundAccount(
  deps: FrontDeps,
  request: FrontRequest,
  account: NewAccount,
  bound: AcmeClientRow,
): Promise<FrontAccount | undefined> {
  try {
    return await deps.db.transaction((tx) => insertBound(tx, deps, request, account, bound));
  } catch (error) {
    if (error instanceof AcmeProblem && error.type === 'rateLimited')
      await recordRefusedBinding(deps, bound, request, error.message);
    throw error;
  }
}

async function insertBound(
  tx: Tx,
  { nonces, clock }: FrontDeps,
  request: FrontRequest,
  { jwk, thumbprint, contacts, externalAccountBinding: binding = {} }: NewAccount,
  bound: AcmeClientRow,
): Promise<FrontAccount | undefined> {
  await nonces.useIn(tx, request);
  const now = clock.now();
  // locked, so that two accounts do not both take the last place
  const client = await lockBoundClient(tx, bound);
  await requireRoom(tx, client, now);
  const caller = callerOfClient(client, request);
  const { userAgent, ipAddress } = caller;
  const row: ServerAccountRow = {
    id: newRowId(now),
    clientId: client.id,
    spaceId: client.spaceId,
    thumbprint,
    jwk,
    contacts,
    binding,
    status: 'valid',
    createdAt: now,
    seenAt: now,
    userAgent,
    ipAddress,
  };
  if (!(await insertServerAccount(tx, row))) return undefined;
  await recordAudit(
    tx,
    caller,
    clientAudit('acme_client.bind', client, { accountId: row.id, contacts }),
    now,
  );
  return frontAccountOf(row, client);
}

async function lockBoundClient(tx: Tx, { id, spaceId, kid }: AcmeClientRow): Promise<AcmeClientRow> {
  // deleted, or with another key than the one that signed
  const isBound = (await findAcmeClient(tx, id))?.kid === kid;
  if (isBound) return lockClientOfSpace(tx, spaceId, id);
  throw new AcmeProblem('unauthorized', 'the external account is unknown or its MAC is wrong');
}

async function requireRoom(tx: Tx, { id, maxAccounts }: AcmeClientRow, now: Date): Promise<void> {
  const since = new Date(now.getTime() - limitPeriods.quarter);
  const oldest = await findNthSeen(tx, id, { since, now, count: maxAccounts });
  const end = endOfLimit(oldest, limitPeriods.quarter, now);
  if (end === undefined) return;
  throw rateLimited(
    `this ACME client has ${maxAccounts} accounts that were seen in the last 90 days`,
    end,
    now,
  );
}

/** The same refusal is counted instead of written again within a minute: a client may try again and again. */
function recordRefusedBinding(
  { denials }: FrontDeps,
  client: AcmeClientRow,
  request: FrontRequest,
  reason: string,
): Promise<void> {
  const { id, spaceId, name } = client;
  return denials.record(callerOfClient(client, request), {
    action: 'acme_client.bind',
    resourceType: 'acme-client',
    resourceId: id,
    spaceId,
    subject: name,
    reason,
  });
}
