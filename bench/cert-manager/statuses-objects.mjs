// What the pages of single objects ask, beside 50,000 FQDNs: certificates, a CSR on trial, jobs, users, the audit log.
import { insertJob } from '../../apps/cert-manager/dist/src/issuance/jobs/issuance-jobs.repository.js';
import { issuances } from '../../apps/cert-manager/dist/src/issuance/signing/issuances.repository.js';
import { users } from '../../apps/cert-manager/dist/src/users/users.repository.js';
import { buildCsr, generateKeyPair } from '../../packages/crypto/dist/src/index.js';
import { settle } from '../databases.mjs';
import { alone } from '../measuring/measure.mjs';
import { multiply } from '../multiply.mjs';
import { administrator, asAdministrator } from './manager-place.mjs';
import { seedAudit } from './manager-seed.mjs';

const entries = 500_000;

/** Rows of these requests; `spaceId` and `first` are of `seedCertificates`, whose copies are of `kind`. */
export async function measureObjects(place, { spaceId, first, kind, count }) {
  const copies = { kind, count: count - 1 };
  await seedJobs(place, first, copies);
  await seedUsers(place, copies);
  await seedFingerprints(place);
  await seedAudit(place, { count: entries, spaceId });
  await settle(place);
  const { client, manager } = place;
  const params = { spaceId, fqdnId: first.id };
  const { body: certificates } = await client.listCertificates({ params });
  const [{ id }] = certificates;
  const { body: detail } = await client.getCertificate({ params: { ...params, certId: id } });
  const fqdn = `/spaces/${spaceId}/fqdns/${first.id}`;
  const rows = [];
  const measure = async (what, target, ask) => {
    rows.push(await alone({ what, target, pid: manager.pid, ask }));
  };
  for (const [what, target, path] of [
    ['a certificate', '8 ms', `${fqdn}/certificates/${id}`],
    ['download of a certificate', '8 ms', `${fqdn}/certificates/${id}/download?format=fullchain`],
    ['certificates by fingerprint', undefined, `/certificates?sha256=${detail.sha256}`],
    [
      'certificates by serial number',
      undefined,
      `/certificates?serialNumber=${detail.serialNumber}&limit=100`,
    ],
    ['requests of an FQDN', '10 ms', `/issuance-jobs?fqdnId=${first.id}&limit=100`],
    ['100 requests of a space', '10 ms', `/issuance-jobs?spaceId=${spaceId}&limit=100`],
    ['100 of 10,000 users with groups', '10 ms', '/users?include=groups&limit=100'],
    ['users by a part of the name', '10 ms', '/users?q=4711&include=groups&limit=100'],
    ['first audit page of 500,000', '50 ms', '/audit-logs?limit=50'],
    ['audit page of an FQDN', '50 ms', `/audit-logs?resourceId=${first.id}&limit=50`],
  ]) {
    await measure(what, target, asAdministrator(place, path));
  }
  await measure('a CSR on trial', '10 ms', await trialOf(place, first));
  return rows;
}

/** A request of each FQDN that has failed. */
async function seedJobs({ dialect, runSql, database, providerId }, { id, spaceId }, { kind, count }) {
  const [createdAt, finishedAt] = [new Date(), new Date()];
  const caller = { kind: 'user', userId: id, username: administrator.username, requestId: '', ipAddress: '' };
  const job = { id, fqdnId: id, spaceId, csrId: id, providerId, cause: 'request', state: 'failed' };
  const rest = { isConfirmed: false, replacesId: null, certificateId: null, message: 'the CA is away' };
  const times = { attempt: 1, leaseUntil: null, nextAt: null, createdAt, finishedAt };
  const asked = {
    fqdn: '',
    spkiSha256: '',
    isOrder: true,
    idempotencyKey: id,
    orderUrl: null,
    issued: null,
    code: null,
  };
  const row = {
    ...job,
    ...asked,
    ...rest,
    ...times,
    caller: { ...caller, userAgent: '' },
    steps: {},
    orderState: null,
  };
  await database.transaction((tx) => insertJob(tx, row));
  const change = ({ uuid }) => ({
    id: uuid(kind, 'n.i'),
    fqdnId: uuid(kind, 'n.i'),
    csrId: uuid(kind, 'n.i'),
  });
  await runSql(multiply(dialect, issuances, { where: `t.id = '${id}'`, count, change }));
}

/** 10,000 users beside the administrator. */
async function seedUsers({ dialect, runSql }, { kind }) {
  const change = ({ uuid }) => ({
    id: uuid(kind, 'n.i'),
    username: "'person-' || n.i",
    usernameKey: "'person-' || n.i",
    email: "'person-' || n.i || '@example.test'",
    emailKey: "'person-' || n.i || '@example.test'",
    isAdmin: 'false',
  });
  const where = `t.username = '${administrator.username}'`;
  await runSql(multiply(dialect, users, { where, count: 10_000, change }));
}

/** Copies have the fingerprint and number of their original, so each gets its own. */
async function seedFingerprints({ runSql }) {
  await runSql(`update certificates set leaf_sha256 = replace(cast(id as text), '-', '') || substr(leaf_sha256, 33),
      serial_number = replace(cast(id as text), '-', '')
    where cast(id as text) like '000000%'`);
}

/** Request that judges a CSR of the FQDN and stores nothing. */
async function trialOf(place, { spaceId, id, fqdn }) {
  const { privateKey } = await generateKeyPair('P-256');
  const { pem } = await buildCsr({ privateKey, subject: { commonName: fqdn }, dnsNames: [fqdn] });
  const form = new FormData();
  form.set('spaceId', spaceId);
  form.set('fqdn', fqdn);
  form.set('csr', new Blob([pem], { type: 'application/pkcs10' }), 'bench.csr');
  const request = new Request('http://service.invalid/', { method: 'POST', body: form });
  const { url, headers } = asAdministrator(place, `/spaces/${spaceId}/fqdns/${id}/csr?dryRun=true`);
  return {
    url,
    method: 'POST',
    headers: { ...headers, 'content-type': request.headers.get('content-type') },
    body: Buffer.from(await request.arrayBuffer()),
  };
}
