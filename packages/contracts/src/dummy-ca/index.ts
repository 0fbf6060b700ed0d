import { z } from 'zod';
import { type Client, type ClientOptions, createClient } from '../http/http.client.js';
import { openApiDocument } from '../openapi/openapi.js';
import { dummyCaAdminContract } from './admin.js';
import { statusContract } from './certificate-status.js';
import { signingContract } from './signing.js';

export { dummyCaAdminContract } from './admin.js';
export {
  type CaIssuerName,
  type CertificateStatus,
  caIssuerNames,
  certificateStatusSchema,
  type RevocationReasonName,
  revocationReasonNames,
  statusContract,
} from './certificate-status.js';
export {
  type AcmeEndpoint,
  type AcmeFault,
  acmeEndpoints,
  faultSchema,
  type ValidationMode,
  validationModes,
} from './faults.js';
export {
  type CaHealth,
  type CertificateRecord,
  caHealthSchema,
  certificateRecordSchema,
  type SigningReply,
  type SigningRequest,
  signingContract,
  signingReplySchema,
  signingRequestSchema,
} from './signing.js';

/** Every operation of the dummy certificate authority except ACME and administration. */
export const dummyCaContract = { ...signingContract, ...statusContract };

const jsonError = { contentType: 'application/json', schema: z.object({ error: z.string() }) };
const plainError = { contentType: 'text/plain', schema: z.string() };

/** OpenAPI 3.1 document of the dummy certificate authority, its administration included. */
export function dummyCaOpenApi(): object {
  return openApiDocument(
    { ...dummyCaContract, ...dummyCaAdminContract },
    {
      title: 'Dummy certificate authority',
      version: '1.0.0',
      description:
        'Signs CSRs for tests. Certificates are stored in memory, and a restart loses them unless a state file is set. ' +
        'Paths below /admin exist only if the operator enables them.',
      groups: {
        Certificates: signingContract,
        Status: statusContract,
        Administration: dummyCaAdminContract,
      },
      errorBody: (shape) => (shape.path === '/csr' ? jsonError : plainError),
    },
  );
}

const { revokeCertificate } = dummyCaAdminContract;
const clientContract = { ...dummyCaContract, revokeCertificate };

/** Typed client of the dummy certificate authority; of its administration, it has the revocation. */
export function createDummyCaClient(options: ClientOptions): Client<typeof clientContract> {
  return createClient(clientContract, options);
}
