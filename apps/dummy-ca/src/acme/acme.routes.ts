import {
  type AcmePorts,
  acmeRouter,
  downloadCertificate,
  fetched,
  type PlainRoute,
  parameter,
  plainHandler,
  requestBase,
} from '@certloop/acme-server';
import type { AcmePath } from '@certloop/acme-server/rules';
import type { Router } from 'express';
import type { AcmeDeps, AcmeRoute, DummyRecords } from './acme-deps.service.js';
import { portsOf } from './acme-ports.service.js';
import { newAuthorization, updateAuthorization } from './authorizations/authorizations.service.js';
import { answerChallenge } from './authorizations/challenges.service.js';
import { showIssuer, showRoot } from './certificates/issuer-chains.service.js';
import { faultsAt } from './faults/faults.middleware.js';
import type { Account } from './records/records.js';

export interface AcmeRoutesOptions {
  /** Base address under which clients reach the service; undefined for the one that they use. */
  readonly publicUrl: string | undefined;
}

/** Router of ACME with authorizations, alternate chains and faults, to be mounted at `acmeMount`. */
export function acmeRoutes(deps: AcmeDeps, { publicUrl }: AcmeRoutesOptions): Router {
  const ports = portsOf(deps);
  return acmeRouter(ports, {
    baseOf: (request) => requestBase(request, publicUrl),
    signed: signedRoutes(deps, ports),
    plain: plainRoutes(deps),
    before: (path) => faultsAt(path, deps.faults, deps.nonces),
  });
}

function signedRoutes(deps: AcmeDeps, ports: AcmePorts<DummyRecords>): [AcmePath, AcmeRoute][] {
  return [
    ['newAuthz', { form: 'kid', serve: (signed) => newAuthorization(deps, signed) }],
    [
      'authorization',
      { form: 'kid', serve: (signed, asked) => updateAuthorization(deps, signed, parameter(asked, 'id')) },
    ],
    [
      'challenge',
      {
        form: 'kid',
        serve: (signed, asked) => {
          const address = { id: parameter(asked, 'id'), type: parameter(asked, 'type') };
          return answerChallenge(deps, signed, address);
        },
      },
    ],
    [
      'alternateChain',
      fetched((signed, asked) => {
        const chosen = { id: parameter(asked, 'id'), chain: parameter(asked, 'chain') };
        return downloadCertificate(ports, signed, chosen);
      }),
    ],
  ];
}

/** An issuer is among what clients fetch, also by POST-as-GET. */
function plainRoutes(deps: AcmeDeps): PlainRoute<Account>[] {
  return [
    [
      'issuer',
      plainHandler(async (request) => showIssuer(deps, parameter(request, 'chain'))),
      async (_, asked) => showIssuer(deps, parameter(asked, 'chain')),
    ],
    ['root', plainHandler(async (request) => showRoot(deps, parameter(request, 'chain')))],
  ];
}
