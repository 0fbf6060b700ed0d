import { randomUUID } from 'node:crypto';
import { type AcmeReply, accountOf, created, parsePayload } from '@certloop/acme-server';
import {
  type AuthorizedIdentifier,
  authorizationStatus,
  type Identifier,
  identifierKey,
  parseIdentifiers,
  requireRenewalId,
} from '@certloop/acme-server/rules';
import { type AcmeAuthorizationStatus, AcmeProblem, acmeRequests } from '@certloop/contracts';
import { constraintFault, noGeneralNames } from '@certloop/crypto';
import type { CertificateProfile } from '../../authority/certificate-profile.js';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import { addAuthorization, authorizedIdentifier } from '../authorizations/authorizations.service.js';
import {
  type AskedValidity,
  acmeValidity,
  chooseProfile,
  parseAskedValidity,
} from '../issuance/acme-profile.js';
import type { Account, AcmeCertificate, Authorization, Order } from '../records/records.js';
import { statusOf, viewOf } from './orders.service.js';

/**
 * A new order with its authorizations (RFC 8555 §7.4). Throws what identifiers, validity and profile can be refused
 * for, and what `replaces` can (RFC 9773 §5).
 */
export async function newOrder(deps: AcmeDeps, request: AcmeRequest): Promise<AcmeReply> {
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
  throw new AcmeProblem('malformed', 'the certificate would not fit into the validity of the issuer');
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

/**
 * The certificate that an order replaces; undefined when it replaces none. Throws `malformed` for an identifier that
 * names none (404 when merely unknown) or a certificate without
 * a common identifier, `unauthorized` for one of another account, and `alreadyReplaced` with status 409 when an
 * order that is not invalid replaces it already (RFC 9773 §5).
 */
function requireReplaceable(
  deps: AcmeDeps,
  account: Account,
  replaces: string | undefined,
  identifiers: readonly Identifier[],
): AcmeCertificate | undefined {
  if (replaces === undefined) return undefined;
  const certificate = deps.store.findCertificateByRenewalId(requireRenewalId(replaces));
  if (certificate === undefined) {
    throw new AcmeProblem('malformed', 'the certificate to replace is not known', { kind: 'not_found' });
  }
  if (certificate.accountId !== account.id) {
    throw new AcmeProblem('unauthorized', 'the certificate to replace belongs to another account');
  }
  const old = new Set(certificate.identifiers.map(identifierKey));
  if (!identifiers.some((identifier) => old.has(identifierKey(identifier)))) {
    throw new AcmeProblem(
      'malformed',
      'the certificate to replace has no identifier in common with the order',
    );
  }
  const other = deps.store.findOrder(certificate.replacedBy ?? '');
  if (other !== undefined && statusOf(deps, other) !== 'invalid') {
    throw new AcmeProblem('alreadyReplaced', 'another order replaces the certificate already');
  }
  return certificate;
}
