import { type AcmeOrderStatus, AcmeProblem, acmeRequests } from '@certloop/contracts';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import type { AcmeReply } from '../protocol/acme-reply.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { accountOf, parsePayload } from '../protocol/signed-requests.service.js';
import { getOrder, replyWith, statusOf } from './orders.service.js';

/**
 * Order whose certificate is issued, or being issued. Throws `orderNotReady` unless it is ready, and `badCSR`, which leaves
 * the order as it was (RFC 8555 §7.4). What fails after that makes the order invalid.
 */
export async function finalizeOrder<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  id: string,
): Promise<AcmeReply> {
  const order = await getOrder(ports, request, id);
  const { csr: text } = parsePayload(acmeRequests.finalizeSchema, request.payload);
  requireReady(await statusOf(ports, order));
  const csr = await ports.judgeCsr(text, order, accountOf(request));
  const finalized = await ports.issue(request, order, csr);
  if (finalized !== undefined) return replyWith(ports, finalized, request);
  const status = await statusOf(ports, await getOrder(ports, request, id));
  throw notReady(status);
}

function requireReady(status: AcmeOrderStatus): void {
  if (status !== 'ready') throw notReady(status);
}

const notReady = (status: AcmeOrderStatus) =>
  new AcmeProblem('orderNotReady', `the order is not ready but ${status}`);
