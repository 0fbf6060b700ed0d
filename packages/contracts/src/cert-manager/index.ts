import { type Client, type ClientOptions, createClient } from '../http/http.client.js';
import { openApiDocument } from '../openapi/openapi.js';
import { acmeClientsContract } from './acme-clients.js';
import { acmeLineagesContract } from './acme-lineages.js';
import { auditLogsContract } from './audit/audit-logs.js';
import { certificatesContract } from './certificates/certificates.js';
import { csrsContract } from './certificates/csrs.js';
import { issuanceContract } from './certificates/issuance.js';
import { fqdnsContract } from './fqdns.js';
import { inventoryContract } from './inventory.js';
import { issuancePolicyContract } from './issuance-policy.js';
import { outlookContract } from './outlook.js';
import { providersContract } from './providers.js';
import { readinessContract } from './readiness.js';
import { renewalsContract } from './renewals.js';
import { problemSchema } from './replies.js';
import { spacesContract } from './spaces.js';
import { systemContract } from './system.js';
import { targetsContract } from './targets.js';
import { authContract } from './users/auth.js';
import { permissionGroupsContract } from './users/permission-groups.js';
import { usersContract } from './users/users.js';
import { watchedServersContract } from './watched-servers.js';

export * from './acme-clients.js';
export * from './acme-lineages.js';
export * from './audit/audit-actions.js';
export * from './audit/audit-logs.js';
export * from './certificates/certificates.js';
export * from './certificates/challenge-setup.js';
export * from './certificates/csrs.js';
export * from './certificates/issuance.js';
export * from './fqdn-lists.js';
export * from './fqdns.js';
export * from './inventory.js';
export * from './issuance-policy.js';
export * from './outlook.js';
export {
  formatListCursor,
  formatSortedCursor,
  type ListPosition,
  maxPageSize,
  type SortedPosition,
} from './pages.js';
export * from './providers.js';
export * from './readiness.js';
export * from './renewals.js';
export {
  type Count,
  countSchema,
  type Delete,
  deleteSchema,
  type Message,
  messageSchema,
  type Problem,
  problemSchema,
} from './replies.js';
export * from './spaces.js';
export * from './system.js';
export * from './targets.js';
export * from './users/api-tokens.js';
export * from './users/auth.js';
export * from './users/permission-groups.js';
export * from './users/users.js';
export * from './watched-servers.js';
export * from './words.js';

/** Every operation of the certificate management service. */
export const certManagerContract = {
  ...systemContract,
  ...authContract,
  ...spacesContract,
  ...issuancePolicyContract,
  ...acmeClientsContract,
  ...acmeLineagesContract,
  ...fqdnsContract,
  ...csrsContract,
  ...issuanceContract,
  ...certificatesContract,
  ...renewalsContract,
  ...outlookContract,
  ...inventoryContract,
  ...readinessContract,
  ...targetsContract,
  ...watchedServersContract,
  ...usersContract,
  ...permissionGroupsContract,
  ...providersContract,
  ...auditLogsContract,
};

/** OpenAPI 3.1 document of the certificate management service; made once, for the first who asks. */
export function certManagerOpenApi(): object {
  document ??= describeCertManager();
  return document;
}

let document: object | undefined;

function describeCertManager(): object {
  return openApiDocument(certManagerContract, {
    title: 'Certificate management service',
    version: '2.0.0',
    description:
      'Manages FQDNs in spaces with their CSRs, has the CSRs signed by providers, and renews the certificates. ' +
      'A change of a space, FQDN, user or permission group leaves members unchanged that the request does not contain.',
    groups: {
      Spaces: { ...spacesContract, ...issuancePolicyContract },
      'ACME clients': { ...acmeClientsContract, ...acmeLineagesContract },
      FQDNs: { ...fqdnsContract, ...inventoryContract },
      CSRs: csrsContract,
      Issuance: issuanceContract,
      Certificates: certificatesContract,
      Renewals: { ...renewalsContract, ...outlookContract, ...readinessContract },
      Targets: { ...targetsContract, ...watchedServersContract },
      Providers: providersContract,
      'Signing in': authContract,
      Users: usersContract,
      'Permission groups': permissionGroupsContract,
      'Audit log': auditLogsContract,
      Service: systemContract,
    },
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'API token' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-cm_session',
        description: 'Session of a browser; requests that change something also need the header X-CSRF-Token',
      },
    },
    // where the operator limits requests
    furtherFailures: (shape) => (shape.public === true ? [] : [429]),
    errorBody: () => ({ contentType: 'application/problem+json', schema: problemSchema }),
  });
}

export interface CertManagerClientOptions extends ClientOptions {
  /** API token, sent as bearer. */
  readonly token?: string;
}

/** Typed client of the certificate management service. */
export function createCertManagerClient({
  token,
  ...options
}: CertManagerClientOptions): Client<typeof certManagerContract> {
  const credential = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return createClient(certManagerContract, { ...options, headers: { ...credential, ...options.headers } });
}
