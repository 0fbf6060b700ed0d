import type { Fqdn } from '@certloop/contracts';
import { foreignPem } from '../cas/foreign-ca.js';
import { addAcmeClient } from '../front/acme-clients.js';
import { newLineagePath } from '../front/client-lineage.js';
import { addCsr, addFqdn, addSpace, csrSample, pathOf, unknownId } from '../inventory.js';
import { addJob } from '../issuance.js';
import { createProvider, newCsr, providerOf } from '../signing.js';
import { type Ask, type Asking, askingAs, type Cast, newName, newSpaceFor } from './matrix.js';
import { peopleRequests } from './people-requests.js';

const clientsOf = (spaceId: string) => `/spaces/${spaceId}/acme-clients`;
const newClient = () => ({ name: newName(), names: { suffixes: ['example.com'] } });
const newClientPath = async ({ app, cast }: Asking) =>
  `${clientsOf(cast.space)}/${(await addAcmeClient(app, cast.space)).id}`;

/** Valid requests by the names of the matrix's rows, each with what it needs made for it alone. */
export const requests: Readonly<Record<string, Ask>> = {
  getHealth: ({ send }) => send('get', '/health'),
  getLiveness: ({ send }) => send('get', '/health/live'),
  getReadiness: ({ send }) => send('get', '/health/ready'),
  getOpenApi: ({ send }) => send('get', '/openapi.json'),
  getWatch: ({ send }) => send('get', '/watch'),
  getStats: ({ send }) => send('get', '/stats'),
  ...peopleRequests,

  listSpaces: ({ send }) => send('get', '/spaces'),
  getSpace: ({ send, cast }) => send('get', `/spaces/${cast.space}`),
  'getSpace/unknown': ({ send }) => send('get', `/spaces/${unknownId}`),
  updateSpace: ({ send, cast }) => send('put', `/spaces/${cast.space}`).send({ description: 'new' }),
  'updateSpace/unknown': ({ send }) => send('put', `/spaces/${unknownId}`).send({ name: 'new' }),
  createSpace: ({ send }) => send('post', '/spaces').send({ name: 'new' }),
  deleteSpace: async ({ app, cast, send }) =>
    send('delete', `/spaces/${await newSpaceFor(app, cast.people)}`),
  'deleteSpace/unknown': ({ send }) => send('delete', `/spaces/${unknownId}`),
  setWatchEnabled: ({ send, cast }) =>
    send('put', `/spaces/${cast.space}/watch-enabled`).send({ watchEnabled: true }),
  'setWatchEnabled/unknown': ({ send }) =>
    send('put', `/spaces/${unknownId}/watch-enabled`).send({ watchEnabled: true }),

  listSharedNames: ({ send }) => send('get', '/shared-names'),
  getIssuancePolicy: ({ send, cast }) => send('get', `/spaces/${cast.space}/issuance-policy`),
  'getIssuancePolicy/unknown': ({ send }) => send('get', `/spaces/${unknownId}/issuance-policy`),
  setIssuancePolicy: ({ send, cast }) => send('put', `/spaces/${cast.space}/issuance-policy`).send({}),
  'setIssuancePolicy/unknown': ({ send }) => send('put', `/spaces/${unknownId}/issuance-policy`).send({}),
  'setIssuancePolicy/dry-run': ({ send, cast }) =>
    send('put', `/spaces/${cast.space}/issuance-policy?dryRun=true`).send({}),

  createAcmeClient: ({ send, cast }) => send('post', clientsOf(cast.space)).send(newClient()),
  'createAcmeClient/unknown': ({ send }) => send('post', clientsOf(unknownId)).send(newClient()),
  listAcmeClients: ({ send, cast }) => send('get', clientsOf(cast.space)),
  'listAcmeClients/unknown': ({ send }) => send('get', clientsOf(unknownId)),
  getAcmeClient: async (asking) => asking.send('get', await newClientPath(asking)),
  'getAcmeClient/unknown': ({ send, cast }) => send('get', `${clientsOf(cast.space)}/${unknownId}`),
  'getAcmeClient/elsewhere': async (asking) => {
    const { id: spaceId } = await addSpace(asking.app);
    const { id } = await addAcmeClient(asking.app, spaceId);
    return asking.send('get', `${clientsOf(asking.cast.space)}/${id}`);
  },
  updateAcmeClient: async (asking) =>
    asking.send('put', await newClientPath(asking)).send({ createFqdns: false }),
  'updateAcmeClient/unknown': ({ send, cast }) =>
    send('put', `${clientsOf(cast.space)}/${unknownId}`).send({}),
  rekeyAcmeClient: async (asking) => asking.send('post', `${await newClientPath(asking)}/key`),
  'rekeyAcmeClient/unknown': ({ send, cast }) => send('post', `${clientsOf(cast.space)}/${unknownId}/key`),
  deleteAcmeClient: async (asking) => asking.send('delete', await newClientPath(asking)),
  'deleteAcmeClient/unknown': ({ send, cast }) => send('delete', `${clientsOf(cast.space)}/${unknownId}`),

  listLineages: async (asking) => asking.send('get', pathOf(await newFqdn(asking), 'acme-lineages')),
  'listLineages/unknown': ({ send, cast }) =>
    send('get', `/spaces/${cast.space}/fqdns/${unknownId}/acme-lineages`),
  releaseLineage: async (asking) =>
    asking.send('post', await newLineagePath(asking.app, await newFqdn(asking))),
  'releaseLineage/unknown': async (asking) =>
    asking.send('post', pathOf(await newFqdn(asking), `acme-lineages/${'0'.repeat(64)}/release`)),

  countFqdns: ({ send, cast }) => send('get', `/spaces/${cast.space}/fqdns/count`),
  'countFqdns/unknown': ({ send }) => send('get', `/spaces/${unknownId}/fqdns/count`),
  listFqdns: ({ send, cast }) => send('get', `/spaces/${cast.space}/fqdns`),
  'listFqdns/unknown': ({ send }) => send('get', `/spaces/${unknownId}/fqdns`),
  listAllFqdns: ({ send }) => send('get', '/fqdns'),
  getOutlook: ({ send }) => send('get', '/outlook'),
  getPublicReadiness: ({ send }) => send('get', '/readiness'),
  getExpiryTimeline: ({ send }) => send('get', '/stats/expiry'),
  getInventory: ({ send }) => send('get', '/inventory'),
  exportInventory: ({ send }) => send('get', '/inventory.csv'),
  countFqdnStates: ({ send }) => send('get', '/fqdns/counts'),
  reviewFqdns: ({ send, cast }) =>
    send('post', `/spaces/${cast.space}/fqdns/review`).send({ names: ['a.example'] }),
  'reviewFqdns/unknown': ({ send }) =>
    send('post', `/spaces/${unknownId}/fqdns/review`).send({ names: ['a.example'] }),
  changeFqdns: async (asking) => {
    const { id } = await newFqdn(asking);
    return asking.send('post', '/fqdns/bulk').send({ ids: [id], action: 'renewal-on', dryRun: false });
  },
  updateFqdn: async (asking) => {
    const { spaceId, id } = await newFqdn(asking);
    return asking.send('put', `/spaces/${spaceId}/fqdns/${id}`).send({ description: 'new' });
  },
  'updateFqdn/unknown': ({ send, cast }) =>
    send('put', `/spaces/${cast.space}/fqdns/${unknownId}`).send({ description: 'new' }),
  getFqdn: async (asking) => {
    const { spaceId, id } = await newFqdn(asking);
    return asking.send('get', `/spaces/${spaceId}/fqdns/${id}`);
  },
  'getFqdn/unknown': ({ send, cast }) => send('get', `/spaces/${cast.space}/fqdns/${unknownId}`),
  createFqdn: ({ send, cast }) => send('post', `/spaces/${cast.space}/fqdns`).send({ fqdn: newName() }),
  'createFqdn/unknown': ({ send }) => send('post', `/spaces/${unknownId}/fqdns`).send({ fqdn: newName() }),
  deleteSpaceFqdns: ({ send, cast }) => send('delete', `/spaces/${cast.space}/fqdns`),
  'deleteSpaceFqdns/unknown': ({ send }) => send('delete', `/spaces/${unknownId}/fqdns`),
  deleteFqdn: async (asking) => {
    const { spaceId, id } = await newFqdn(asking);
    return asking.send('delete', `/spaces/${spaceId}/fqdns/${id}`);
  },
  'deleteFqdn/unknown': ({ send, cast }) => send('delete', `/spaces/${cast.space}/fqdns/${unknownId}`),
  deleteAllFqdns: ({ send }) => send('delete', '/fqdns?confirm=true'),
  setRenewalEnabled: async (asking) =>
    asking.send('put', pathOf(await newFqdn(asking), 'renewal-enabled')).send({ renewalEnabled: true }),
  setExpiryAccepted: async (asking) =>
    asking.send('put', pathOf(await newFqdn(asking), 'expiry-accepted')).send({ accepted: false }),

  lintCsr: ({ send }) => send('post', '/csr-lint').send({ csrPem: csrSample('p256') }),
  'lintCsr/unknown': ({ send }) =>
    send('post', '/csr-lint').send({ csrPem: csrSample('p256'), providerId: unknownId }),
  uploadCsr: (asking) => sendCsr(asking, 'csr'),
  'uploadCsr/held': async (asking) => uploadFor(asking, 'csr', await newHeldFqdn(asking)),
  'uploadCsr/dry-run': (asking) => sendCsr(asking, 'csr?dryRun=true'),
  listCsrs: async (asking) => asking.send('get', pathOf(await newFqdn(asking), 'csr')),
  deleteAllCsrs: ({ send }) => send('delete', '/csrs?confirm=true'),
  signCsr: async (asking) => {
    const { id: providerId } = await providerOf(asking.app, 'dummy-ca');
    return asking.send('post', pathOf(await newFqdnWithCsr(asking), 'csr/sign')).send({ providerId });
  },
  'signCsr/held': async (asking) => {
    const { id: providerId } = await providerOf(asking.app, 'dummy-ca');
    const fqdn = await newHeldFqdn(asking);
    await addCsr(asking.app, fqdn, await newCsr(fqdn.fqdn));
    return asking.send('post', pathOf(fqdn, 'csr/sign')).send({ providerId });
  },
  getCertificate: async (asking) => {
    const { fqdn, certificateId } = await certificateOf(asking);
    return asking.send('get', pathOf(fqdn, `certificates/${certificateId}`));
  },
  'getCertificate/unknown': async (asking) =>
    asking.send('get', pathOf(await newFqdn(asking), `certificates/${unknownId}`)),
  findCertificates: ({ send }) => send('get', '/certificates?serialNumber=01'),
  'findCertificates/nothing': ({ send }) => send('get', '/certificates'),
  listCertificates: async (asking) => asking.send('get', pathOf(await newFqdn(asking), 'certificates')),
  deliverCertificate: async (asking) =>
    asking.send('get', pathOf((await certificateOf(asking)).fqdn, 'certificate')),
  'deliverCertificate/none': async (asking) =>
    asking.send('get', pathOf(await newFqdn(asking), 'certificate')),
  downloadCertificate: async (asking) => {
    const { fqdn, certificateId } = await certificateOf(asking);
    return asking.send('get', pathOf(fqdn, `certificates/${certificateId}/download`));
  },
  refreshCertificate: async (asking) => {
    const { fqdn, certificateId } = await certificateOf(asking);
    return asking.send('post', pathOf(fqdn, `certificates/${certificateId}/refresh`));
  },
  revokeCertificate: async (asking) => {
    const { fqdn, certificateId } = await newCertificate(asking);
    const path = pathOf(fqdn, `certificates/${certificateId}/revoke`);
    return asking.send('post', path).send({ reason: 'superseded' });
  },
  importCertificate: async (asking) => importFor(asking, await newFqdn(asking)),
  'importCertificate/held': async (asking) => importFor(asking, await newHeldFqdn(asking)),
  // no ACME provider is enabled
  requestCertificate: async (asking) =>
    asking.send('post', pathOf(await newFqdnWithCsr(asking), 'request-certificate')),
  getChallengeSetup: async (asking) => asking.send('get', pathOf(await newFqdn(asking), 'challenge-setup')),
  listIssuanceJobs: ({ send, cast }) => send('get', `/issuance-jobs?spaceId=${cast.space}`),
  'listIssuanceJobs/unknown': ({ send }) => send('get', `/issuance-jobs?fqdnId=${unknownId}`),
  getIssuanceJob: async (asking) => asking.send('get', `/issuance-jobs/${await newJob(asking)}`),
  continueIssuanceJob: async (asking) =>
    asking.send('post', `/issuance-jobs/${await newJob(asking)}/continue`),
  cancelIssuanceJob: async (asking) => asking.send('post', `/issuance-jobs/${await newJob(asking)}/cancel`),
  'cancelIssuanceJob/unknown': ({ send }) => send('post', `/issuance-jobs/${unknownId}/cancel`),

  listRenewals: ({ send }) => send('get', '/renewal-queue'),
  createTestRenewal: async (asking) => {
    const { fqdn, certificateId } = await newCertificate(asking);
    const body = { certificateId, fqdnId: fqdn.id, spaceId: fqdn.spaceId, minutesFromNow: 525_600 };
    return asking.send('post', '/renewal-queue/test/create').send(body);
  },
  triggerRenewals: ({ send }) => send('post', '/renewal-queue/test/trigger'),
  runRenewal: async (asking) => {
    const { fqdn, certificateId } = await newCertificate(asking);
    const body = { certificateId, fqdnId: fqdn.id, spaceId: fqdn.spaceId, minutesFromNow: 525_600 };
    const admin = askingAs(asking.app, asking.cast, 'A');
    const queued = await admin.send('post', '/renewal-queue/test/create').send(body);
    return asking.send('post', `/renewal-queue/${queued.body.queueId}/run`);
  },
  'runRenewal/unknown': ({ send }) => send('post', `/renewal-queue/${unknownId}/run`),
  explainRenewal: async (asking) => asking.send('get', pathOf(await newFqdn(asking), 'renewal-explanation')),

  listTargets: async (asking) => asking.send('get', pathOf(await newFqdn(asking), 'targets')),
  createTarget: async (asking) => asking.send('post', pathOf(await newFqdn(asking), 'targets')).send({}),
  'createTarget/unknown': ({ send, cast }) =>
    send('post', `/spaces/${cast.space}/fqdns/${unknownId}/targets`).send({}),
  updateTarget: async (asking) => asking.send('put', await newTarget(asking)).send({ port: 8443 }),
  deleteTarget: async (asking) => asking.send('delete', await newTarget(asking)),
  'deleteTarget/unknown': async (asking) =>
    asking.send('delete', pathOf(await newFqdn(asking), `targets/${unknownId}`)),
  // where no probe may go, so that none does
  probeTarget: async (asking) => asking.send('post', `${await newTarget(asking, 'localhost')}/probe`),
  watchServers: ({ send, cast }) =>
    send('post', `/spaces/${cast.space}/watched-servers`).send({ servers: [{ host: 'localhost' }] }),
  'watchServers/unknown': ({ send }) =>
    send('post', `/spaces/${unknownId}/watched-servers`).send({ servers: [{ host: 'localhost' }] }),
  reportObservation: async (asking) => {
    const failure = { stage: 'refused', fault: 'connection_refused' };
    const body = { address: '192.0.2.1', failure, observedAt: asking.app.clock.now().toISOString() };
    return asking.send('post', `${await newTarget(asking)}/observations`).send(body);
  },
  getServed: async (asking) => asking.send('get', pathOf(await newFqdn(asking), 'served')),
  'getServed/unknown': ({ send, cast }) => send('get', `/spaces/${cast.space}/fqdns/${unknownId}/served`),
  listServed: ({ send }) => send('get', '/served'),

  listProviders: ({ send }) => send('get', '/providers'),
  getProvider: async ({ app, send }) => send('get', `/providers/${(await providerOf(app, 'dummy-ca')).id}`),
  createProvider: ({ send }) => send('post', '/providers').send(newProvider()),
  deleteProvider: async ({ app, send }) => {
    const { id } = await createProvider(app, newProvider());
    return send('delete', `/providers/${id}`);
  },
  setProviderEnabled: async ({ app, send }) =>
    send('put', `/providers/${(await providerOf(app, 'dummy-ca')).id}/enabled`).send({ enabled: true }),
  setProviderConfig: async ({ app, send }) => {
    const { id, config } = await providerOf(app, 'dummy-ca');
    return send('put', `/providers/${id}/config`).send({ config });
  },
  testProvider: async ({ app, send }) =>
    send('post', `/providers/${(await providerOf(app, 'dummy-ca')).id}/test`),

  listAuditLogs: ({ send }) => send('get', '/audit-logs'),
  createTestAuditLog: ({ send }) => send('post', '/audit-logs/test'),
  exportAuditLogs: ({ send }) => send('get', '/audit-logs/export'),
  deleteAuditLogs: ({ send }) => send('delete', '/audit-logs'),
  listChanges: ({ send }) => send('get', '/changes?since=0'),
  listAuditClearings: ({ send }) => send('get', '/audit-logs/clearings'),
};

let made = 0;
function newProvider() {
  made += 1;
  return { kind: 'dummy-ca', name: `ca-${made}`, config: { baseUrl: 'https://8.8.8.8' } };
}

function newFqdn({ app, cast }: Asking) {
  return addFqdn(app, cast.space, newName());
}

async function newFqdnWithCsr(asking: Asking) {
  const fqdn = await newFqdn(asking);
  await addCsr(asking.app, fqdn, await newCsr(fqdn.fqdn));
  return fqdn;
}

const holding = new WeakMap<Cast, Promise<Fqdn>>();

/** An FQDN in the cast's space whose name another space holds, as it holds the domain above it. */
async function newHeldFqdn(asking: Asking) {
  const { app, cast } = asking;
  const hold = async () => {
    const { id } = await addSpace(app);
    return (await newCertificate({ ...asking, cast: { ...cast, space: id } })).fqdn;
  };
  const held = holding.get(cast) ?? hold();
  holding.set(cast, held);
  made += 1;
  return addFqdn(app, cast.space, `held-${made}.${(await held).fqdn}`);
}

async function importFor(asking: Asking, fqdn: Fqdn) {
  const pem = await foreignPem(fqdn.fqdn, asking.app.clock.now());
  return asking.send('post', pathOf(fqdn, 'certificates/import')).send({ pem });
}

async function sendCsr(asking: Asking, path: string) {
  return uploadFor(asking, path, await newFqdn(asking));
}

async function uploadFor(asking: Asking, path: string, fqdn: Fqdn) {
  return asking
    .send('post', pathOf(fqdn, path))
    .field('spaceId', fqdn.spaceId)
    .field('fqdn', fqdn.fqdn)
    .attach('csr', Buffer.from(await newCsr(fqdn.fqdn)), 'request.pem');
}

const issued = new WeakMap<Cast, ReturnType<typeof newCertificate>>();

/** An FQDN in the cast's space with a certificate, for requests that only read them. */
function certificateOf(asking: Asking): ReturnType<typeof newCertificate> {
  const found = issued.get(asking.cast) ?? newCertificate(asking);
  issued.set(asking.cast, found);
  return found;
}

/** An FQDN in the cast's space with a certificate of its own. */
export async function newCertificate(asking: Asking) {
  const fqdn = await newFqdnWithCsr(asking);
  const { id: providerId } = await providerOf(asking.app, 'dummy-ca');
  const admin = askingAs(asking.app, asking.cast, 'A');
  await admin.send('post', pathOf(fqdn, 'csr/sign')).send({ providerId }).expect(200);
  const { body } = await admin.send('get', pathOf(fqdn, 'certificates')).expect(200);
  return { fqdn, certificateId: body[0].id as string };
}

/** Path of a new target in the cast's space. */
async function newTarget(asking: Asking, host?: string): Promise<string> {
  const fqdn = await newFqdn(asking);
  const admin = askingAs(asking.app, asking.cast, 'A');
  const { body } = await admin.send('post', pathOf(fqdn, 'targets')).send({ host }).expect(201);
  return pathOf(fqdn, `targets/${body.id}`);
}

async function newJob(asking: Asking): Promise<string> {
  const { id: fqdnId, spaceId } = await newFqdn(asking);
  return (await addJob(asking.app, { fqdnId, spaceId })).job.id;
}
