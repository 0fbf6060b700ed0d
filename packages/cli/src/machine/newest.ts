import { text } from 'node:stream/consumers';
import {
  AppError,
  type DeliveredCertificate,
  deliveredCertificateSchema,
  UpstreamFailed,
} from '@certloop/contracts';
import type { Manager } from '../connection/session.js';

/** Ids of an FQDN. */
export interface FqdnIds {
  readonly spaceId: string;
  readonly fqdnId: string;
}

/** Newest certificate of an FQDN at the manager. */
export type Asked =
  | { readonly kind: 'none' }
  | { readonly kind: 'unchanged'; readonly retryAfter: string | undefined }
  | { readonly kind: 'newest'; readonly certificate: DeliveredCertificate };

export interface Asking {
  /** ETag of the certificate that is installed. */
  readonly etag: string | undefined;
  /** Seconds to wait for a newer one. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/** Asks for the newest certificate; one that the manager has already sent is `unchanged`, after the wait. */
export async function askNewest(
  manager: Manager,
  params: FqdnIds,
  { etag, wait, signal }: Asking,
): Promise<Asked> {
  try {
    const { status, headers, body } = await manager.deliverCertificate({
      params,
      query: { format: 'json', wait: String(wait) },
      headers: etag === undefined ? {} : { 'if-none-match': etag },
      signal,
    });
    if (status === 304) return { kind: 'unchanged', retryAfter: headers?.['retry-after'] };
    const sent = await text(body ?? new Blob([]).stream());
    return { kind: 'newest', certificate: parseDelivered(sent) };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
    // rejects if it is the FQDN that is missing
    await manager.getFqdn({ params: { id: params.spaceId, fqdnId: params.fqdnId } });
    return { kind: 'none' };
  }
}

function parseDelivered(sent: string): DeliveredCertificate {
  const read = deliveredCertificateSchema.safeParse(jsonOf(sent));
  if (read.success) return read.data;
  throw new UpstreamFailed('cert-manager sent something else than a certificate; try again');
}

function jsonOf(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return undefined;
  }
}
