import type { AcmeOrder, AcmeOrderStatus, AcmeProblemDocument } from '@certloop/contracts';
import type { AcmeLinks } from '../protocol/acme-links.js';
import type { Order } from '../records/records.js';

/** Order (RFC 8555 §7.1.3). */
export function orderView(
  order: Order,
  {
    status,
    problem,
  }: { readonly status: AcmeOrderStatus; readonly problem: AcmeProblemDocument | undefined },
  links: AcmeLinks,
): AcmeOrder {
  const { id, notBefore, notAfter, certificateId, replaces } = order;
  const isIssued = status === 'valid' && certificateId !== undefined;
  return {
    status,
    expires: order.expires.toISOString(),
    identifiers: order.identifiers.map(({ type, value }) => ({ type, value })),
    ...(notBefore !== undefined && { notBefore: notBefore.toISOString() }),
    ...(notAfter !== undefined && { notAfter: notAfter.toISOString() }),
    ...(problem !== undefined && { error: problem }),
    authorizations: order.authorizationIds.map((each) => links.of('authorization', { id: each })),
    finalize: links.of('finalize', { id }),
    ...(isIssued && { certificate: links.of('certificate', { id: certificateId }) }),
    ...(replaces !== undefined && { replaces }),
    profile: order.profile,
  };
}
