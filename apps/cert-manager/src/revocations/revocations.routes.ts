import { certificateView } from '../certificates/certificate-view.js';
import { ok, type SomeHandlers } from '../http/handlers.js';
import { revokeCertificate } from './revoke-certificate.service.js';
import type { RevocationDeps } from './settle-revocation.service.js';

export function revocationsHandlers(deps: RevocationDeps) {
  return {
    revokeCertificate: async ({ context, params, body }) => {
      const certificate = await revokeCertificate(deps, context, { ...params, reason: body.reason });
      return ok(certificateView(certificate, params.spaceId));
    },
  } satisfies SomeHandlers;
}
