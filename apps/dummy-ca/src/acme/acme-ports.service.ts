import type { AcmePorts } from '@certloop/acme-server';
import { requireExternalAccount } from './accounts/bind-account.service.js';
import { addAccount, changeAccount, changeAccountKey } from './accounts/change-accounts.service.js';
import type { AcmeDeps, DummyRecords } from './acme-deps.service.js';
import { findRenewalInfo } from './certificates/renewal-info.service.js';
import { mayRevokeCertificate, revokeOnRequest } from './certificates/revocation.service.js';
import { describeProfile } from './issuance/acme-profile.js';
import { issueOrder, requireAcceptedCsr } from './orders/issue-order.service.js';
import { pageOfOrders } from './orders/order-pages.service.js';
import { readOrderTerms, requirePermitted } from './orders/order-terms.service.js';
import { authorizationsOf, placeOrder } from './orders/place-order.service.js';

/** Ports of the ACME server, which this CA has in common with cert-manager. */
export function portsOf(deps: AcmeDeps): AcmePorts<DummyRecords> {
  const { settings, clock, logger, issuer } = deps;
  const profiles = settings.profiles.map((profile) => [profile.name, describeProfile(profile)]);
  return {
    store: storeOf(deps),
    nonces: { issue: deps.nonces.issue, check: deps.nonces.take, use: () => undefined },
    settings: {
      ...settings,
      bindingAlgorithms: ['HS256'],
      profiles: Object.fromEntries(profiles),
      hasNewAuthz: true,
    },
    clock,
    logger,
    bind: (binding) => requireExternalAccount(settings, binding),
    readTerms: (asked) => readOrderTerms(deps, asked),
    permit: (_, identifiers) => requirePermitted(deps, identifiers),
    authorize: (order) => authorizationsOf(deps, order),
    judgeCsr: (csr, order, account) => requireAcceptedCsr(deps, csr, order, account),
    issue: (_, order, csr) => issueOrder(deps, order, csr),
    chainsOf: () => issuer.chains.map(({ pem }) => pem),
    mayRevoke: (request, certificate, parsed) => mayRevokeCertificate(deps, request, certificate, parsed),
    revoke: (request, certificate, reason) => revokeOnRequest(deps, request, certificate, reason),
    renewalInfo: (renewalId) => findRenewalInfo(deps, renewalId),
  };
}

function storeOf(deps: AcmeDeps): AcmePorts<DummyRecords>['store'] {
  const { store } = deps;
  return {
    findAccount: store.findAccount,
    findAccountByThumbprint: store.findAccountByThumbprint,
    insertAccount: (_, account) => addAccount(deps, account),
    changeAccount: (_, account, change) => changeAccount(deps, account, change),
    changeKey: (request, account, key) => changeAccountKey(deps, request, account, key),
    insertOrder: (_, order) => placeOrder(deps, order),
    findOrder: (_, id) => store.findOrder(id),
    listOrders: (account, page) => pageOfOrders(deps, account, page),
    findCertificate: (_, id) => store.findCertificate(id),
    findCertificateByRenewalId: (_, renewalId) => store.findCertificateByRenewalId(renewalId),
  };
}
