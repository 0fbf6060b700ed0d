import { type AcmePorts, acmeRouter, type BaseOf, derivedRoutes } from '@certloop/acme-server';
import { derivedAuthorizations } from '@certloop/acme-server/rules';
import { AcmeProblem, type acmeRequests } from '@certloop/contracts';
import type { Router } from 'express';
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
import { issueForClient } from './orders/finalize-order.service.js';
import { judgeClientCsr } from './orders/judge-csr.service.js';
import { permitIdentifiers, placeOrder } from './orders/place-order.service.js';

/** ACME server for the clients of spaces (RFC 8555, RFC 9773), to be mounted at `/acme`. */
export function frontRouter(deps: FrontDeps, baseOf: BaseOf): Router {
  const ports = frontPorts(deps, baseOf);
  return acmeRouter(ports, { baseOf, signed: derivedRoutes(ports) });
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
    permit: (account, identifiers) => permitIdentifiers(deps, account, identifiers),
    // the binding of the account is the proof
    authorize: (order) => derivedAuthorizations(order, order.row.createdAt),
    judgeCsr: judgeClientCsr,
    issue: (request, order, csr) => issueForClient(deps, request, order, csr),
    chainsOf: async (certificate) => [await chainAfterLeaf(deps, certificate)],
    mayRevoke,
    revoke: (request, certificate, reason) => revokeForClient(deps, request, certificate, reason),
    renewalInfo: (renewalId, exchange) =>
      readRenewalInfo(deps, renewalId, {
        userAgent: exchange.get('user-agent') ?? '',
        explanationUrl: `${baseOf(exchange)}/acme/renewal`,
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
    insertOrder: (request, order) => placeOrder(deps, request, order),
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
