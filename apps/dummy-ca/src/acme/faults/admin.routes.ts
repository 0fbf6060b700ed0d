import { dummyCaAdminContract } from '@certloop/contracts';
import { bind } from '@certloop/server';
import type { Router } from 'express';
import { liftHold, revokeCertificate } from '../../status/revocation.service.js';
import type { AcmeDeps } from '../acme-deps.service.js';
import { setRenewalWindow } from '../certificates/renewal-info.service.js';

// A fault or a window has a few hundred octets.
const bodyBytes = 4_096;

/** Router of the administrative API; anyone who reaches it may use it. */
export function adminRoutes(deps: AcmeDeps): Router {
  const { faults } = deps;
  return bind(
    dummyCaAdminContract,
    {
      revokeCertificate: async ({ body }) => ({
        status: 201,
        body: revokeCertificate(deps.status, body.serialNumber, body.reason),
      }),
      liftHold: async ({ params }) => {
        liftHold(deps.status, params.serialNumber);
        return { status: 204, body: undefined };
      },
      listFaults: async () => ({ status: 200, body: { faults: [...faults.list()] } }),
      addFault: async ({ body }) => {
        faults.add(body);
        return { status: 201, body };
      },
      clearFaults: async () => {
        faults.clear();
        return { status: 204, body: undefined };
      },
      setValidation: async ({ body }) => {
        faults.setValidationMode(body.mode);
        return { status: 200, body };
      },
      setRenewalWindow: async ({ params, body }) => {
        setRenewalWindow(deps, params.certId, { start: new Date(body.start), end: new Date(body.end) });
        return { status: 200, body };
      },
      clearRenewalWindow: async ({ params }) => {
        setRenewalWindow(deps, params.certId, undefined);
        return { status: 204, body: undefined };
      },
      countRequests: async () => ({ status: 200, body: { requests: faults.counts() } }),
      clearRequests: async () => {
        faults.clearCounts();
        return { status: 204, body: undefined };
      },
    },
    { context: () => undefined, bodyBytes },
  );
}
