import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { refreshedCertificateView } from '../certificates/certificate-view.js';
import { refreshCertificate } from './refresh-certificate.service.js';
import { type SignDeps, signCsr } from './sign-csr.service.js';

export function issuanceHandlers(
  deps: SignDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'signCsr' | 'refreshCertificate'> {
  return {
    signCsr: async ({ context, params, body }) => {
      const reply = await signCsr(deps, context, { ...params, providerId: body.providerId });
      return { status: 200, body: reply };
    },
    refreshCertificate: async ({ context, params }) => {
      const refreshed = await refreshCertificate(deps, context, params);
      return { status: 200, body: refreshedCertificateView(refreshed, params.spaceId) };
    },
  };
}
