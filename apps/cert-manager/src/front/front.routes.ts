import { type AcmePorts, acmeRouter, type BaseOf, derivedRoutes } from '@certloop/acme-server';
import { acmeMount, derivedAuthorizations } from '@certloop/acme-server/rules';
import { AcmeProblem, type acmeRequests } from '@certloop/contracts';
import { Router as createRouter, type Router } from 'express';
import { admitAccount } from './accounts/admit-account.service.js';
import { bindAccount, insertBoundAccount } from './accounts/bind-account.service.js';
import {
  changeFrontAccount,
  changeFrontKey,
  findFrontAccount,
  findFrontAccountOfKey,
} from './accounts/front-accounts.service.js';
import { chainAfterLeaf } from './certificates/download-chain.service.js';
import {
  findByRenewalId,
  findFrontCertificate,
  findFrontOrder,
  listFrontOrders,
} from './certificates/front-certificates.service.js';
import { readRenewalInfo } from './certificates/renewal-info.service.js';
import { mayRevoke, revokeForClient } from './certificates/revoke-for-client.service.js';
import type { FrontDeps, FrontRecords } from './front-deps.service.js';
import type { FrontAccount } from './front-records.service.js';
import { issueForClient } from './orders/finalize-order.service.js';
import { judgeClientCsr } from './orders/judge-csr.service.js';
import { permitIdentifiers, placeOrder } from './orders/place-order.service.js';
import { showRenewalPage } from './renewal-page.responder.js';

const renewalPage = '/renewal';

/** ACME server for the clients of spaces (RFC 8555, RFC 9773), to be mounted at `/acme`. */
export function frontRouter(deps: FrontDeps, baseOf: BaseOf): Router {
  const ports = frontPorts(deps, baseOf);
  const router = createRouter({ caseSensitive: true });
  router.get(renewalPage, showRenewalPage);
  router.use(acmeRouter(ports, { baseOf, signed: derivedRoutes(ports) }));
  return router;
}

function frontPorts(deps: FrontDeps, baseOf: BaseOf): AcmePorts<FrontRecords> {
  const { nonces, clock, logger } = deps;
  return {
    store: frontStore(deps),
    nonces,
    clock,
    logger,
    settings: {
      termsOfService: undefined,
      requireExternalAccount: true,
      bindingAlgorithms: ['HS256', 'HS384', 'HS512'],
      hasNewAuthz: false,
      ordersPerPage: 100,
      retryAfterSeconds: 3,
    },
    admit: (request) => admitAccount(deps, request),
    bind: (binding, request) => bindAccount(deps, binding, request),
    readTerms: refuseTerms,
    permit: (account, identifiers, replaces) =>
      countRefused(deps, account, () => permitIdentifiers(deps, account, identifiers, replaces)),
    // the binding of the account is the proof
    authorize: (order) => derivedAuthorizations(order, order.row.createdAt),
    judgeCsr: judgeClientCsr,
    issue: (request, order, csr) =>
      countRefused(deps, request.account, () => issueForClient(deps, request, order, csr)),
    chainsOf: async (certificate) => [await chainAfterLeaf(deps, certificate)],
    mayRevoke,
    revoke: (request, certificate, reason) => revokeForClient(deps, request, certificate, reason),
    renewalInfo: (renewalId, exchange) =>
      readRenewalInfo(deps, renewalId, {
        userAgent: exchange.get('user-agent') ?? '',
        explanationUrl: `${baseOf(exchange)}${acmeMount}${renewalPage}`,
      }),
  };
}

function frontStore(deps: FrontDeps): AcmePorts<FrontRecords>['store'] {
  return {
    findAccount: (id) => findFrontAccount(deps, id),
    findAccountByThumbprint: (thumbprint) => findFrontAccountOfKey(deps, thumbprint),
    insertAccount: (request, account, bound) => insertBoundAccount(deps, request, account, bound),
    changeAccount: (request, account, change) => changeFrontAccount(deps, request, account, change),
    changeKey: (request, account, key) => changeFrontKey(deps, request, account, key),
    insertOrder: (request, order) =>
      countRefused(deps, request.account, () => placeOrder(deps, request, order)),
    findOrder: (request, id) => findFrontOrder(deps, request, id),
    listOrders: (account, page) => listFrontOrders(deps, account, page),
    findCertificate: (request, id) => findFrontCertificate(deps, request, id),
    findCertificateByRenewalId: (request, renewalId) => findByRenewalId(deps, request, renewalId),
  };
}

/** Throws `invalidProfile` for any profile, and `malformed` for a validity: the provider decides both. */
function refuseTerms({ profile, notBefore, notAfter }: acmeRequests.NewOrder): undefined {
  if (profile !== undefined) throw new AcmeProblem('invalidProfile', 'this server has no profiles');
  if (notBefore === undefined && notAfter === undefined) return undefined;
  throw new AcmeProblem('malformed', 'notBefore and notAfter cannot be ordered: the provider decides them');
}

/** Returns what the work returns; counts its refusal for the client of the account. */
async function countRefused<T>(
  { countOrder }: FrontDeps,
  account: FrontAccount | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AcmeProblem)
      countOrder(account?.client?.name ?? 'other', error.type === 'rateLimited' ? 'rate_limited' : 'refused');
    throw error;
  }
}
