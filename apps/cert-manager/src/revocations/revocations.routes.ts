import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { certificateView } from '../certificates/certificate-view.js';
import { revokeCertificate } from './revoke-certificate.service.js';
import type { RevocationDeps } from './settle-revocation.service.js';

export function revocationsHandlers(
  deps: RevocationDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'revokeCertificate'> {
  return {
    revokeCertificate: async ({ context, params, body }) => {
      const certificate = await revokeCertificate(deps, context, { ...params, reason: body.reason });
      return { status: 200, body: certificateView(certificate, params.spaceId) };
    },
  };
}
