import type { NewOrder } from '@certloop/acme-server';
import type { Identifier } from '@certloop/acme-server/rules';
import { AcmeProblem, Conflict } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import type { AcmeClientRow } from '../../acme-clients/acme-client.js';
import { findAcmeClient } from '../../acme-clients/acme-clients.repository.js';
import { refusedName } from '../../acme-clients/client-names.js';
import { findRefusedNames } from '../../acme-clients/judge-names.service.js';
import { addFqdn, newFqdnRow } from '../../fqdns/fqdns.service.js';
import type { PolicyRules } from '../../fqdns/policy/issuance-policy.js';
import { findRules } from '../../fqdns/policy/policy-rules.repository.js';
import { lockSpacesForShare } from '../../spaces/spaces.repository.js';
import {
  callerOfClient,
  type FrontDeps,
  type FrontRecords,
  type FrontRequest,
} from '../front-deps.service.js';
import { type FrontAccount, type FrontOrder, frontOrderOf } from '../front-records.service.js';
import { identifiersKeyOf } from '../rules/lineage.js';
import { chooseFqdn, type KnownFqdn } from '../rules/order-fqdn.js';
import { refusedIdentifiers } from '../rules/refused-identifiers.js';
import { findFormerOrder } from './found-orders.repository.js';
import { insertServerOrder, storeReplacement } from './order-changes.repository.js';
import { providerOfOrder } from './order-provider.service.js';
import { requireOrderRoom, requireWeeklyRoom } from './order-room.service.js';
import { listKnownFqdns } from './ordered-fqdns.repository.js';
import type { ServerOrderRow } from './server-orders.repository.js';

const orderMs = 24 * 3_600_000;

/**
 * Throws `rejectedIdentifier` for identifiers of an order that the account's client may not have, and for one without a
 * host name. Only those of one that replaces a certificate are judged here, before that certificate is: the transaction
 * that stores an order judges all of them first.
 */
export async function permitIdentifiers(
  { db }: Pick<FrontDeps, 'db'>,
  account: FrontAccount,
  identifiers: readonly Identifier[],
  replaces: string | undefined,
): Promise<void> {
  const client = clientOf(account);
  if (replaces === undefined) return;
  await db.read(async (tx) => requirePermitted(tx, client, identifiers));
}

async function requirePermitted(
  tx: Tx,
  client: AcmeClientRow,
  identifiers: readonly Identifier[],
  rules?: PolicyRules,
): Promise<void> {
  const refused = await findRefusedNames(tx, client, identifiers, rules);
  if (refused.length > 0) throw refusedIdentifiers(refused);
  if (identifiers.some(({ type }) => type === 'dns')) return;
  throw new AcmeProblem('rejectedIdentifier', 'an order must have at least one host name');
}

/** The client of an account. Throws `unauthorized` if it was deleted. */
export function clientOf({ client }: FrontAccount): AcmeClientRow {
  if (client !== undefined) return client;
  throw new AcmeProblem('unauthorized', 'the ACME client of this account was deleted', {
    kind: 'unauthenticated',
  });
}

type Placed = NewOrder<FrontRecords>;

/**
 * Stores an order whose identifiers the client may have, and creates its FQDN if it needs one; undefined if another order replaces
 * the same certificate. Throws `rejectedIdentifier` for names or an FQDN that the client may not have, `rateLimited`, and
 * `unauthorized` for a provider that it may not use.
 */
export async function placeOrder(
  deps: FrontDeps,
  request: FrontRequest,
  placed: Placed,
): Promise<FrontOrder | undefined> {
  const place = async () => {
    const order = await deps.db.transaction((tx) => insertOrder(tx, deps, request, placed));
    deps.countOrder(clientOf(placed.account).name, 'placed');
    return order;
  };
  try {
    return await place();
  } catch (error) {
    if (error instanceof AlreadyReplaced) return undefined;
    // another order created the FQDN at the same moment
    if (error instanceof Conflict && error.code === 'fqdn_exists') return place();
    throw error;
  }
}

class AlreadyReplaced extends Error {}

async function insertOrder(
  tx: Tx,
  deps: FrontDeps,
  request: FrontRequest,
  { account, identifiers, replaced }: Placed,
): Promise<FrontOrder> {
  await deps.nonces.useIn(tx, request);
  const client = await lockPlaceOf(tx, account);
  const rules = await findRules(tx, client.spaceId);
  await requirePermitted(tx, client, identifiers, rules);
  const now = deps.clock.now();
  if (replaced === undefined) await requireOrderRoom(tx, client, now);
  const caller = callerOfClient(client, request);
  const identifiersKey = identifiersKeyOf(identifiers);
  const names = { accountId: account.id, spaceId: client.spaceId, identifiersKey };
  const fqdn = await fqdnOfOrder(tx, client, identifiers, names);
  const isNew = 'name' in fqdn;
  const created = isNew ? newFqdnRow({ spaceId: client.spaceId, hostname: fqdn.name }, now) : undefined;
  const place = created ?? (fqdn as KnownFqdn);
  const provider = await providerOfOrder(tx, client, created === undefined ? place.id : undefined, {
    identifiers,
    rules,
  });
  const row: ServerOrderRow = {
    ...newOrder,
    ...names,
    id: newRowId(now),
    clientId: client.id,
    fqdnId: place.id,
    fqdn: place.fqdn,
    providerId: provider.id,
    identifiers,
    replaces: replaced?.renewalId ?? null,
    userAgent: caller.userAgent,
    ipAddress: caller.ipAddress,
    createdAt: now,
    expiresAt: new Date(now.getTime() + orderMs),
  };
  if (replaced === undefined) await requireWeeklyRoom(tx, row, provider, now);
  if (created !== undefined) await addFqdn(tx, deps.emit, caller, created);
  if (replaced !== undefined) await replaceCertificate(tx, replaced.certificate, row.id);
  await insertServerOrder(tx, row);
  return frontOrderOf(row, now);
}

/** Columns of an order before it is finalized. */
const newOrder = {
  state: 'ready',
  replacedBy: null,
  csrId: null,
  issuanceId: null,
  keyKind: null,
  spkiSha256: null,
  lineage: null,
  isNewest: false,
  certificateId: null,
  renewalId: null,
  notBefore: null,
  notAfter: null,
  infoReadAt: null,
  infoWindowEnd: null,
  releasedAt: null,
  problem: null,
  finalizedAt: null,
  endedAt: null,
} as const satisfies Partial<ServerOrderRow>;

/** The client as it is now; its space is locked, so that a change of the policy either is seen here or finds the order. */
async function lockPlaceOf(tx: Tx, account: FrontAccount): Promise<AcmeClientRow> {
  const { id, spaceId } = clientOf(account);
  await lockSpacesForShare(tx, [spaceId]);
  return clientOf({ ...account, client: await findAcmeClient(tx, id) });
}

/** The FQDN of an order that is permitted, or the name of the one to create. Throws `rejectedIdentifier`. */
async function fqdnOfOrder(
  tx: Tx,
  client: AcmeClientRow,
  identifiers: readonly Identifier[],
  order: Pick<ServerOrderRow, 'accountId' | 'spaceId' | 'identifiersKey'>,
): Promise<KnownFqdn | { readonly name: string }> {
  const formerId = (await findFormerOrder(tx, order))?.fqdnId;
  const names = identifiers.flatMap(({ type, value }) => (type === 'dns' ? [value] : []));
  const found = await listKnownFqdns(tx, client.spaceId, { names, id: formerId });
  const former = found.find(({ id }) => id === formerId);
  const known = new Map(found.map((one) => [one.fqdn, one]));
  const choice = chooseFqdn({ identifiers, former, known, client });
  if (choice.kind === 'refused') throw refusedIdentifiers([refusedName({ type: 'dns', value: choice.name })]);
  return choice.kind === 'existing' ? choice.fqdn : choice;
}

async function replaceCertificate(
  tx: Tx,
  { accountId, id, replacedBy }: FrontRecords['certificate'],
  orderId: string,
): Promise<void> {
  const count = await storeReplacement(tx, { accountId, id, former: replacedBy }, orderId);
  if (count === 0) throw new AlreadyReplaced();
}
