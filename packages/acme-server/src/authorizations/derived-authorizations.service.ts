import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import { getOrder } from '../orders/orders.service.js';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import { link } from '../protocol/acme-links.js';
import { type AcmeReply, ok } from '../protocol/acme-reply.js';
import { noSuch } from '../protocol/problems.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { parsePayload } from '../protocol/signed-requests.service.js';
import type { Authorization } from '../records/records.js';
import { authorizationView, challengeView } from './authorization-view.js';
import { orderIdOf } from './derived-authorizations.js';

/** Authorization as it is. Throws `malformed` when it is to be deactivated, as it follows from the account. */
export async function showDerivedAuthorization<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  id: string,
): Promise<AcmeReply> {
  const authorization = await getDerived(ports, request, id);
  if (request.payload.length > 0) {
    parsePayload(acmeRequests.authorizationUpdateSchema, request.payload);
    throw new AcmeProblem(
      'malformed',
      'the authorization follows from the account and cannot be deactivated; deactivate the account instead',
    );
  }
  return ok(authorizationView(authorization, ports.clock.now(), request.links), {
    location: request.links.of('authorization', { id }),
  });
}

/** Challenge as it is, which is valid: there is nothing to validate. */
export async function showDerivedChallenge<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  { id, type }: { readonly id: string; readonly type: string },
): Promise<AcmeReply> {
  const authorization = await getDerived(ports, request, id);
  const challenge = authorization.challenges.find((each) => each.type === type);
  if (challenge === undefined) throw noSuch('challenge');
  if (request.payload.length > 0) parsePayload(acmeRequests.anyObjectSchema, request.payload);
  return ok(challengeView(authorization, challenge, ports.clock.now(), request.links), {
    links: [link(request.links.of('authorization', { id }), 'up')],
  });
}

/** One of an order of the account. Throws `malformed` with status 404 if there is none. */
async function getDerived<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  id: string,
): Promise<Authorization> {
  const orderId = orderIdOf(id);
  if (orderId === undefined) throw noSuch('authorization');
  const order = await getOrder(ports, request, orderId);
  const authorizations = await ports.authorize(order);
  const found = authorizations.find((each) => each?.id === id);
  if (found === undefined) throw noSuch('authorization');
  return found;
}
