import { randomUUID } from 'node:crypto';
import { type AcmeAuthorizationStatus, AcmeProblem, acmeRequests } from '@certloop/contracts';
import { constraintFault, noGeneralNames } from '@certloop/crypto';
import type { CertificateProfile } from '../../authority/certificate-profile.js';
import { ownAccount } from '../accounts/accounts.service.js';
import type { AcmeDeps } from '../acme-deps.service.js';
import { addAuthorization, authorizedIdentifier } from '../authorizations/authorizations.service.js';
import {
  type AskedValidity,
  acmeValidity,
  chooseProfile,
  parseAskedValidity,
} from '../issuance/acme-profile.js';
import { link } from '../protocol/acme-links.js';
import { type AcmeReply, created, ok } from '../protocol/acme-reply.js';
import { accountOf, parsePayload, type SignedRequest } from '../protocol/signed-requests.service.js';
import type { Authorization } from '../records/authorization.js';
import type { AuthorizedIdentifier } from '../records/challenges.js';
import { type Identifier, parseIdentifiers } from '../records/identifiers.js';
import type { Order } from '../records/order.js';
import { authorizationStatus } from '../records/order-status.js';
import { statusOf } from './current-status.service.js';
import { orderProblem } from './order-problem.js';
import { orderView } from './order-view.js';
import { requireReplaceable } from './replacements.service.js';

/**
 * A new order with its authorizations (RFC 8555 §7.4). Throws what identifiers, validity and profile can be refused
 * for, and what `replaces` can (RFC 9773 §5).
 */
export async function newOrder(deps: AcmeDeps, request: SignedRequest): Promise<AcmeReply> {
  const account = accountOf(request);
  const asked = parsePayload(acmeRequests.newOrderSchema, request.payload);
  const identifiers = parseIdentifiers(asked.identifiers);
  const profile = chooseProfile(deps.settings.profiles, asked.profile);
  const validity = parseAskedValidity(asked, deps.issuer.certificate);
  requirePossible(deps, profile, validity);
  requirePermitted(deps, identifiers);
  const id = randomUUID();
  const replaced = requireReplaceable(deps, account, asked.replaces, identifiers);
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
    ...validity,
    profile: profile.name,
    replaces: asked.replaces,
    finalizedAt: undefined,
    availableAt: undefined,
    certificateId: undefined,
    problem: undefined,
  };
  deps.store.insertOrder(order);
  deps.counts.countOrder({ outcome: 'placed' });
  if (replaced !== undefined) replaced.replacedBy = id;
  return created(viewOf(deps, order, request), request.links.of('order', { id }));
}

/** Throws `malformed` when the certificate would be valid only when its issuer is not. */
function requirePossible(
  { settings, clock, issuer }: AcmeDeps,
  profile: CertificateProfile,
  asked: AskedValidity,
): void {
  const { certificate } = issuer;
  const validity = acmeValidity(profile, asked, clock.now(), certificate, settings.backdateSeconds);
  if (validity.notAfter > validity.notBefore) return;
  throw new AcmeProblem('malformed', 'the validity of the issuer has no place for that of the certificate');
}

/** Throws `rejectedIdentifier` for names that the constraints of an authority above refuse. */
function requirePermitted({ issuer }: AcmeDeps, identifiers: readonly Identifier[]): void {
  const valuesOf = (type: Identifier['type']) =>
    identifiers.filter((each) => each.type === type).map(({ value }) => value);
  const subjectAltNames = { ...noGeneralNames, dnsNames: valuesOf('dns'), ipAddresses: valuesOf('ip') };
  for (const constraints of issuer.nameConstraints) {
    const fault = constraintFault(constraints, { subject: [], subjectAltNames });
    if (fault !== undefined) throw new AcmeProblem('rejectedIdentifier', fault);
  }
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

/** Order as it is (RFC 8555 §7.4). */
export async function showOrder(deps: AcmeDeps, request: SignedRequest, id: string): Promise<AcmeReply> {
  return replyWith(deps, getOrder(deps, request, id), request);
}

export function replyWith(deps: AcmeDeps, order: Order, request: SignedRequest): AcmeReply {
  const isUnderWay = ['pending', 'processing'].includes(statusOf(deps, order));
  return ok(viewOf(deps, order, request), {
    location: request.links.of('order', { id: order.id }),
    retryAfterSeconds: isUnderWay ? deps.settings.retryAfterSeconds : undefined,
  });
}

function viewOf(deps: AcmeDeps, order: Order, { links }: SignedRequest) {
  const status = statusOf(deps, order);
  const authorizations = order.authorizationIds.flatMap((id) => deps.store.findAuthorization(id) ?? []);
  const problem = status === 'invalid' ? orderProblem(order, authorizations, deps.clock.now()) : undefined;
  return orderView(order, { status, problem }, links);
}

/** The account's own. Throws `malformed` with status 404 when there is none, `unauthorized` for another's. */
export function getOrder({ store }: AcmeDeps, request: SignedRequest, id: string): Order {
  const order = store.findOrder(id);
  if (order === undefined) throw new AcmeProblem('malformed', 'no such order', { kind: 'not_found' });
  if (order.accountId === accountOf(request).id) return order;
  throw new AcmeProblem('unauthorized', 'the order is that of another account');
}

/** One page of the account's orders, those that are invalid left out (RFC 8555 §7.1.2.1). */
export async function listOrders(
  deps: AcmeDeps,
  request: SignedRequest,
  { id, cursor }: { readonly id: string; readonly cursor: string | undefined },
): Promise<AcmeReply> {
  const account = ownAccount(request, id);
  const all = deps.store.listOrders(account.id);
  const begin = cursor === undefined ? 0 : all.findIndex((order) => order.id === cursor);
  if (begin < 0) throw new AcmeProblem('malformed', 'no such page', { kind: 'not_found' });
  const { ordersPerPage } = deps.settings;
  // One more than the page has shows whether there is a next one.
  const shown = firstShown(deps, all.slice(begin), ordersPerPage + 1);
  const next = shown[ordersPerPage];
  const addresses = shown.slice(0, ordersPerPage).map((order) => request.links.of('order', { id: order.id }));
  const page = `${request.links.of('accountOrders', { id })}?cursor=`;
  return ok({ orders: addresses }, { links: next === undefined ? [] : [link(`${page}${next.id}`, 'next')] });
}

/** So many of the orders, those that are invalid left out; the statuses of the others are not worked out. */
function firstShown(deps: AcmeDeps, orders: readonly Order[], max: number): Order[] {
  const shown: Order[] = [];
  for (const order of orders) {
    if (shown.length === max) break;
    if (statusOf(deps, order) !== 'invalid') shown.push(order);
  }
  return shown;
}
