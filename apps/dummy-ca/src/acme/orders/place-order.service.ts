import { randomUUID } from 'node:crypto';
import type { NewOrder } from '@certloop/acme-server';
import {
  type AuthorizedIdentifier,
  authorizationStatus,
  authorizedIdentifier,
  judgeOrder,
} from '@certloop/acme-server/rules';
import type { AcmeAuthorizationStatus, AcmeOrderStatus } from '@certloop/contracts';
import type { AcmeDeps, DummyRecords } from '../acme-deps.service.js';
import { addAuthorization } from '../authorizations/authorizations.service.js';
import type { Authorization, Order } from '../records/records.js';

/** A new order with its authorizations; undefined if another order replaces the certificate that it is to replace. */
export function placeOrder(
  deps: AcmeDeps,
  { account, identifiers, terms, replaced }: NewOrder<DummyRecords>,
): Order | undefined {
  const other = deps.store.findOrder(replaced?.certificate.replacedBy ?? '');
  if (other !== undefined && statusNow(deps, other) !== 'invalid') return undefined;
  const id = randomUUID();
  const authorizations = identifiers
    .map(authorizedIdentifier)
    .map(
      (identifier) => findUsable(deps, account.id, identifier) ?? addForOrder(deps, account.id, identifier),
    );
  const order: Order = {
    id,
    accountId: account.id,
    identifiers,
    authorizationIds: authorizations.map((authorization) => authorization.id),
    expires: new Date(deps.clock.now().getTime() + deps.settings.orderSeconds * 1000),
    ...terms,
    replaces: replaced?.renewalId,
    finalizedAt: undefined,
    availableAt: undefined,
    certificateId: undefined,
    problem: undefined,
  };
  deps.store.insertOrder(order);
  deps.counts.countOrder({ outcome: 'placed' });
  if (replaced !== undefined) replaced.certificate.replacedBy = id;
  return order;
}

/** Status of an order at this moment. */
export function statusNow(deps: AcmeDeps, order: Order): AcmeOrderStatus {
  return judgeOrder(order, authorizationsOf(deps, order), deps.clock.now());
}

/** Authorizations of an order; undefined for one that was pushed out of memory. */
export function authorizationsOf({ store }: AcmeDeps, { authorizationIds }: Order) {
  return authorizationIds.map((id) => store.findAuthorization(id));
}

const addForOrder = (deps: AcmeDeps, accountId: string, identifier: AuthorizedIdentifier): Authorization =>
  addAuthorization(deps, accountId, identifier, false);

/** One made ahead of orders, or with reuse any that is still good (RFC 8555 §7.4, §7.4.1). */
function findUsable(
  { store, clock, settings }: AcmeDeps,
  accountId: string,
  identifier: AuthorizedIdentifier,
): Authorization | undefined {
  const isNow = (status: AcmeAuthorizationStatus, authorization: Authorization): boolean =>
    authorizationStatus(authorization, clock.now()) === status;
  const proven = store.findProvenAuthorization(accountId, identifier);
  const isUsable = proven?.isPreAuthorization === true || settings.reuseAuthorizations;
  if (proven !== undefined && isUsable && isNow('valid', proven)) return proven;
  const newest = store.findNewestAuthorization(accountId, identifier);
  return newest?.isPreAuthorization === true && isNow('pending', newest) ? newest : undefined;
}
