import type { AcmeRenewalInfo } from '@certloop/contracts';
import type { Request } from 'express';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import { type AcmeReply, ok } from '../protocol/acme-reply.js';
import { noSuch } from '../protocol/problems.js';
import { requireRenewalId } from './renewal-id.js';

/** When to renew the certificate (RFC 9773 §4.2). Throws `malformed`, with status 404 for an unknown one. */
export async function showRenewalInfo<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  renewalId: string,
  exchange: Request,
): Promise<AcmeReply> {
  const info = await ports.renewalInfo(requireRenewalId(renewalId), exchange);
  if (info === undefined) throw noSuch('certificate');
  const { window, explanationUrl, retryAfterSeconds } = info;
  const view: AcmeRenewalInfo = {
    suggestedWindow: { start: window.start.toISOString(), end: window.end.toISOString() },
    ...(explanationUrl !== undefined && { explanationURL: explanationUrl }),
  };
  return ok(view, { retryAfterSeconds });
}
