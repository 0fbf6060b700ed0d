// What the manager holds while it is measured: copies of rows that it made itself, by its API.
import { createHash } from 'node:crypto';
import { auditLogs } from '../../apps/cert-manager/dist/src/audit/audit.repository.js';
import { certificates } from '../../apps/cert-manager/dist/src/certificates/certificates.repository.js';
import { csrs } from '../../apps/cert-manager/dist/src/csrs/csrs.repository.js';
import { fqdns } from '../../apps/cert-manager/dist/src/fqdns/fqdns.repository.js';
import { renewalQueue } from '../../apps/cert-manager/dist/src/renewals/renewals.repository.js';
import {
  listWrongSizes,
  recountSpace,
} from '../../apps/cert-manager/dist/src/spaces/space-sizes.repository.js';
import { buildCsr, generateKeyPair } from '../../packages/crypto/dist/src/index.js';
import { executeSql } from '../../packages/db/dist/src/index.js';
import { multiply } from '../multiply.mjs';

/** Puts `count` FQDNs into a new space and returns its id; `kind`, eight hexadecimal digits, begins their ids. */
export async function seedFqdns(place, { kind, count }) {
  const { client } = place;
  const { body: space } = await client.createSpace({ body: { name: `Space ${kind}` } });
  const params = { id: space.id };
  const { body: first } = await client.createFqdn({ params, body: { fqdn: 'host-0.example.test' } });
  await copyFqdns(place, { kind, count: count - 1, first: first.id });
  return { spaceId: space.id, first };
}

async function copyFqdns({ dialect, runSql, database }, { kind, count, first }) {
  const text = multiply(dialect, fqdns, {
    where: `t.id = '${first}'`,
    count,
    change: ({ uuid }) => ({ id: uuid(kind, 'n.i'), fqdn: "'host-' || n.i || '.example.test'" }),
  });
  await runSql(text);
  await recountSpaces(database);
}

/** Stores the sizes of spaces to which SQL added FQDNs. */
export async function recountSpaces(database) {
  await database.transaction(async (tx) => {
    for (const id of await listWrongSizes(tx)) await recountSpace(tx, id);
  });
}

/**
 * A space with `count` FQDNs that renew themselves, each with a CSR and a certificate; all are to be
 * renewed in 40 days. All CSRs are of one key, a new one when none is given.
 */
export async function seedCertificates(place, { kind, count, privateKey }) {
  const { client, dialect, runSql, providerId } = place;
  const { spaceId, first } = await seedFqdns(place, { kind, count: 1 });
  const params = { spaceId, fqdnId: first.id };
  const csr = await csrFor('host-0.example.test', privateKey);
  await client.uploadCsr({
    params,
    body: {
      file: { name: 'bench.csr', contentType: 'application/pkcs10', bytes: Buffer.from(csr.pem) },
      fields: { spaceId, fqdn: first.fqdn },
    },
  });
  await client.signCsr({ params, body: { providerId } });
  await client.setRenewalEnabled({ params, body: { renewalEnabled: true } });
  const copies = count - 1;
  const of = `t.fqdn_id = '${first.id}'`;
  const own = (rest) => (words) => ({
    id: words.uuid(kind, 'n.i'),
    fqdnId: words.uuid(kind, 'n.i'),
    ...rest(words),
  });
  await copyFqdns(place, { kind, count: copies, first: first.id });
  await runSql(multiply(dialect, csrs, { where: of, count: copies, change: own(() => ({})) }));
  const ofCopies = ({ uuid }) => ({ csrId: uuid(kind, 'n.i') });
  await runSql(multiply(dialect, certificates, { where: of, count: copies, change: own(ofCopies) }));
  const planned = ({ uuid, instant }) => ({
    certificateId: uuid(kind, 'n.i'),
    scheduledAt: instant(`${seconds() + 40 * 86_400} + n.i * 0.001`),
  });
  await runSql(multiply(dialect, renewalQueue, { where: of, count: copies, change: own(planned) }));
  return { spaceId, first };
}

/** Gives the first `count` copies CSRs in their own names, by one key. */
export async function seedOwnCsrs({ database }, { kind, count }) {
  const { privateKey } = await generateKeyPair('P-256');
  const made = [];
  for (let n = 1; n <= count; n += 1) made.push(await csrFor(`host-${n}.example.test`, privateKey));
  await database.transaction(async (tx) => {
    for (const [index, { pem, spkiSha256 }] of made.entries()) {
      const id = `${kind}-0000-7000-8000-${(index + 1).toString(16).padStart(12, '0')}`;
      const text = 'update csrs set csr_pem = $1, spki_sha256 = $2 where id = $3';
      await executeSql(tx, text, [pem, spkiSha256, id]);
    }
  });
}

async function csrFor(name, key) {
  const privateKey = key ?? (await generateKeyPair('P-256')).privateKey;
  const { pem, der } = await buildCsr({ privateKey, subject: { commonName: name }, dnsNames: [name] });
  return { pem, spkiSha256: createHash('sha256').update(der).digest('hex') };
}

/**
 * Fills the audit log up with `count` entries of a year: renewals mostly, 50 people, 200 spaces (those of
 * `spaceId` among them) and 100,000 resources.
 */
export async function seedAudit({ client, dialect, runSql }, { count, spaceId }) {
  await client.createTestAuditLog({ body: {} });
  const choice = (expression, words) => {
    const arms = words.map(([below, word]) => `when ${expression} < ${below} then '${word}'`);
    return `case ${arms.join(' ')} end`;
  };
  const change = ({ uuid, randomUuid, instant, json }) => ({
    entryId: randomUuid,
    timestamp: instant(`${seconds()} - 31536000 + n.i * 31.536`),
    action: choice('n.i % 100', actions),
    resourceType: choice('n.i % 100', types),
    resourceId: uuid('00000001', 'n.i * 7919 % 100000'),
    spaceId: `case n.i % 200 when 0 then ${idText(dialect, spaceId)} else ${uuid('00000002', 'n.i % 200')} end`,
    userId: uuid('00000003', 'n.i * 31 % 50'),
    username: "'user-' || (n.i * 31 % 50)",
    outcome: choice('n.i % 100', outcomes),
    details: json(
      `'{"outcome":"success","requestId":"${'0'.repeat(32)}","actor":{"kind":"scheduler"},"fqdn":"host-' || n.i ` +
        `|| '.example.test","serial":"' || n.i * 7919 || '","provider":"dummy-ca"}'`,
    ),
    ipAddress: "'10.0.' || (n.i % 4) || '.' || (n.i % 250)",
  });
  await runSql(multiply(dialect, auditLogs, { where: "t.action = 'audit.test'", count, change }));
}

function idText(dialect, id) {
  return dialect === 'postgres' ? `'${id}'::uuid` : `'${id}'`;
}

const actions = [
  [60, 'certificate.renew'],
  [75, 'auth.login'],
  [85, 'csr.sign'],
  [90, 'csr.upload'],
  [95, 'fqdn.create'],
  [98, 'fqdn.renewal'],
  [99, 'certificate.fail'],
  [100, 'access.denied'],
];
const types = [
  [60, 'certificate'],
  [75, 'session'],
  [90, 'csr'],
  [98, 'fqdn'],
  [99, 'certificate'],
  [100, 'space'],
];
const outcomes = [
  [98, 'success'],
  [99, 'failure'],
  [100, 'denied'],
];

function seconds() {
  return Math.floor(Date.now() / 1000);
}
