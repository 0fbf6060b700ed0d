import type { TestApp } from '../../support/app.js';
import { foreignPem } from '../../support/cas/foreign-ca.js';
import { addCsr, csrUpload, pathOf } from '../../support/inventory.js';
import { addJob } from '../../support/issuance.js';
import { fqdnWithCsr, newCsr, providerOf } from '../../support/signing.js';
import { ask, newFqdn, read, requestsTo } from './asked.js';

/** Requests about CSRs, certificates, their renewals and the servers that use them. */
export const certificateRequests = requestsTo({
  lintCsr: async (app) => ({
    leaves: { nothingBecause: 'it only judges' },
    answer: await ask(app, 'post', '/csr-lint').send({ csrPem: await newCsr('a.test') }),
  }),
  uploadCsr: async (app) => {
    const fqdn = await newFqdn(app);
    return { answer: await csrUpload(app, fqdn, await newCsr(fqdn.fqdn)), leaves: 'csr.upload' };
  },
  listCsrs: async (app) => {
    const fqdn = await newFqdn(app);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    return read(app, pathOf(fqdn, 'csr'));
  },
  deleteAllCsrs: async (app) => {
    await fqdnWithCsr(app);
    return { answer: await ask(app, 'delete', '/csrs?confirm=true'), leaves: 'csr.deleteAll' };
  },

  signCsr: async (app) => ({ answer: await sign(app, (await fqdnWithCsr(app)).fqdn), leaves: 'csr.sign' }),
  requestCertificate: async (app) => {
    const { fqdn } = await fqdnWithCsr(app);
    const answer = await ask(app, 'post', pathOf(fqdn, 'request-certificate?wait=0'));
    return { answer, leaves: 'certificate.request' };
  },
  getChallengeSetup: async (app) => read(app, pathOf((await fqdnWithCsr(app)).fqdn, 'challenge-setup')),
  listIssuanceJobs: async (app) => read(app, `/issuance-jobs?fqdnId=${(await addJob(app)).fqdn.id}`),
  getIssuanceJob: async (app) => read(app, `/issuance-jobs/${(await addJob(app)).job.id}`),
  continueIssuanceJob: async (app) => {
    const { job } = await addJob(app);
    const answer = await ask(app, 'post', `/issuance-jobs/${job.id}/continue`);
    return { answer, leaves: 'certificate.request' };
  },
  cancelIssuanceJob: async (app) => {
    const { job } = await addJob(app);
    const answer = await ask(app, 'post', `/issuance-jobs/${job.id}/cancel`);
    return { answer, leaves: 'certificate.request.cancel' };
  },
  refreshCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    const answer = await ask(app, 'post', pathOf(fqdn, `certificates/${body[0].id}/refresh`));
    return { answer, leaves: 'certificate.refresh' };
  },
  revokeCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    const path = pathOf(fqdn, `certificates/${body[0].id}/revoke`);
    const answer = await ask(app, 'post', path).send({ reason: 'superseded' });
    return { answer, leaves: 'certificate.revoke' };
  },
  deliverCertificate: async (app) => ({
    ...(await read(app, pathOf(await newCertificate(app), 'certificate'))),
    leaves: 'certificate.download',
  }),
  downloadCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    const path = pathOf(fqdn, `certificates/${body[0].id}/download?format=der`);
    return { ...(await read(app, path)), leaves: 'certificate.download' };
  },
  importCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const pem = await foreignPem(fqdn.fqdn, app.clock.now());
    const answer = await ask(app, 'post', pathOf(fqdn, 'certificates/import')).send({ pem });
    return { answer, leaves: 'certificate.import' };
  },
  getCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    return read(app, pathOf(fqdn, `certificates/${body[0].id}`));
  },
  findCertificates: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    const detail = await ask(app, 'get', pathOf(fqdn, `certificates/${body[0].id}`));
    return read(app, `/certificates?serialNumber=${detail.body.serialNumber}`);
  },
  listCertificates: async (app) => read(app, pathOf(await newCertificate(app), 'certificates')),

  listRenewals: async (app) => {
    await newTestRenewal(app);
    return read(app, '/renewal-queue');
  },
  createTestRenewal: async (app) => ({ answer: await newTestRenewal(app), leaves: 'queue.create' }),
  triggerRenewals: async (app) => ({
    answer: await ask(app, 'post', '/renewal-queue/test/trigger'),
    leaves: 'queue.trigger',
  }),
  runRenewal: async (app) => {
    const { body } = await newTestRenewal(app);
    return { answer: await ask(app, 'post', `/renewal-queue/${body.queueId}/run`), leaves: 'queue.run' };
  },
  explainRenewal: async (app) => read(app, pathOf(await newCertificate(app), 'renewal-explanation')),

  listTargets: async (app) => read(app, (await newTarget(app)).path.replace(/\/[^/]*$/, '')),
  createTarget: async (app) => {
    const answer = await ask(app, 'post', pathOf(await newCertificate(app), 'targets')).send({});
    return { answer, leaves: 'target.create' };
  },
  updateTarget: async (app) => {
    const answer = await ask(app, 'put', (await newTarget(app)).path).send({ graceSeconds: 60 });
    return { answer, leaves: 'target.update' };
  },
  deleteTarget: async (app) => {
    const answer = await ask(app, 'delete', (await newTarget(app)).path);
    return { answer, leaves: 'target.delete' };
  },
  probeTarget: async (app) => ({
    // where no probe may go, so that none does
    answer: await ask(app, 'post', `${(await newTarget(app, 'localhost')).path}/probe`),
    leaves: 'target.probe',
  }),
  watchServers: async (app) => {
    const { spaceId } = await newCertificate(app);
    const servers = [{ host: 'localhost' }, { host: '192.0.2.1' }];
    return {
      answer: await ask(app, 'post', `/spaces/${spaceId}/watched-servers`).send({ servers }),
      leaves: 'target.create',
    };
  },
  reportObservation: async (app) => ({ answer: await newReport(app), leaves: 'target.report' }),
  getServed: async (app) => {
    await newReport(app);
    const { body } = await ask(app, 'get', '/served');
    const { spaceId, fqdnId } = body[0];
    return read(app, `/spaces/${spaceId}/fqdns/${fqdnId}/served`);
  },
  listServed: async (app) => {
    await newReport(app);
    return read(app, '/served?limit=1');
  },
});

async function newTarget(app: TestApp, host?: string) {
  const fqdn = await newCertificate(app);
  const { body } = await ask(app, 'post', pathOf(fqdn, 'targets')).send({ host });
  return { fqdn, path: pathOf(fqdn, `targets/${body.id}`) };
}

/** The newest certificate of an FQDN, as seen at an address. */
async function newReport(app: TestApp) {
  const { fqdn, path } = await newTarget(app);
  const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
  const observedAt = app.clock.now().toISOString();
  const report = { address: '192.0.2.1', chainPem: body[0].pem, observedAt };
  return ask(app, 'post', `${path}/observations`).send(report);
}

async function sign(app: TestApp, fqdn: { readonly spaceId: string; readonly id: string }) {
  const { id: providerId } = await providerOf(app, 'dummy-ca');
  return ask(app, 'post', pathOf(fqdn, 'csr/sign')).send({ providerId });
}

async function newCertificate(app: TestApp) {
  const { fqdn } = await fqdnWithCsr(app);
  await sign(app, fqdn);
  return fqdn;
}

async function newTestRenewal(app: TestApp) {
  const fqdn = await newCertificate(app);
  const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
  const ids = { certificateId: body[0].id, fqdnId: fqdn.id, spaceId: fqdn.spaceId };
  return ask(app, 'post', '/renewal-queue/test/create').send({ ...ids, minutesFromNow: 60 });
}
