import { certificateView } from '../certificates/certificate-view.js';
import type { SomeHandlers } from '../http/some-handlers.js';
import { revokeCertificate } from './revoke-certificate.service.js';
import type { RevocationDeps } from './settle-revocation.service.js';

export function revocationsHandlers(deps: RevocationDeps) {
  return {
    revokeCertificate: async ({ context, params, body }) => {
      const certificate = await revokeCertificate(deps, context, { ...params, reason: body.reason });
      return { status: 200, body: certificateView(certificate, params.spaceId) };
    },
  } satisfies SomeHandlers;
}
