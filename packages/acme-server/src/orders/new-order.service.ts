import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import { requireRenewalId } from '../certificates/renewal-id.js';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import { type AcmeReply, created } from '../protocol/acme-reply.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { accountOf, parsePayload } from '../protocol/signed-requests.service.js';
import { type Identifier, identifierKey, parseIdentifiers } from '../records/identifiers.js';
import { statusOf, viewOf } from './orders.service.js';

/**
 * A new order with its authorizations (RFC 8555 §7.4). Throws what identifiers, validity and profile can be refused
 * for, and what `replaces` can (RFC 9773 §5).
 */
export async function newOrder<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
): Promise<AcmeReply> {
  const account = accountOf(request);
  const asked = parsePayload(acmeRequests.newOrderSchema, request.payload);
  const identifiers = parseIdentifiers(asked.identifiers);
  const terms = await ports.readTerms(asked);
  await ports.permit(account, identifiers, asked.replaces);
  const replaced = await requireReplaceable(ports, request, asked.replaces, identifiers);
  const order = await ports.store.insertOrder(request, { account, identifiers, terms, replaced });
  if (order === undefined) throw alreadyReplaced();
  return created(await viewOf(ports, order, request), request.links.of('order', { id: order.id }));
}

/**
 * The certificate that an order replaces; undefined when it replaces none. Throws `malformed` for an identifier that
 * names none (404 when merely unknown) or a certificate without
 * a common identifier, `unauthorized` for one of another account, and `alreadyReplaced` with status 409 when an
 * order that is not invalid replaces it already (RFC 9773 §5).
 */
async function requireReplaceable<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  replaces: string | undefined,
  identifiers: readonly Identifier[],
) {
  if (replaces === undefined) return undefined;
  const renewalId = requireRenewalId(replaces);
  const certificate = await ports.store.findCertificateByRenewalId(request, renewalId);
  if (certificate === undefined) {
    throw new AcmeProblem('malformed', 'the certificate to replace is not known', { kind: 'not_found' });
  }
  if (certificate.accountId !== accountOf(request).id) {
    throw new AcmeProblem('unauthorized', 'the certificate to replace belongs to another account');
  }
  const old = new Set(certificate.identifiers.map(identifierKey));
  if (!identifiers.some((identifier) => old.has(identifierKey(identifier)))) {
    throw new AcmeProblem(
      'malformed',
      'the certificate to replace has no identifier in common with the order',
    );
  }
  await requireNotReplaced(ports, request, certificate.replacedBy);
  return { renewalId, certificate };
}

async function requireNotReplaced<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  replacedBy: string | undefined,
): Promise<void> {
  if (replacedBy === undefined) return;
  const other = await ports.store.findOrder(request, replacedBy);
  if (other !== undefined && (await statusOf(ports, other)) !== 'invalid') throw alreadyReplaced();
}

const alreadyReplaced = () =>
  new AcmeProblem('alreadyReplaced', 'another order replaces the certificate already');
