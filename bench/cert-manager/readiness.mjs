// Suite `readiness`: what breaks on a day, of 10,000 FQDNs with 500,000 certificates, all but the newest replaced, on
// both databases. The certificates are of a public CA, so each chain is read.
import { certificates } from '../../apps/cert-manager/dist/src/certificates/certificates.repository.js';
import {
  certificateLabel,
  createIssuer,
  createRoot,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
} from '../../packages/crypto/dist/src/index.js';
import { executeSql } from '../../packages/db/dist/src/index.js';
import { measureOnEach, settle } from '../databases.mjs';
import { alone, once } from '../measuring/measure.mjs';
import { multiply } from '../multiply.mjs';
import { asAdministrator, withManager } from './manager-place.mjs';
import { seedCertificates } from './manager-seed.mjs';
import { copyStatuses } from './statuses.mjs';

const names = { kind: '0000001c', count: 10_000 };
const certificatesPerName = 50;

export const readiness = {
  name: 'readiness',
  isLong: true,
  run: ({ dialects }) => measureOnEach(dialects, (database) => withManager(database, measureReadiness)),
};

async function measureReadiness(place) {
  const { first } = await seedCertificates(place, names);
  await place.runSql(copyStatuses(place.dialect, first.id, names));
  await issueElsewhere(place);
  await place.runSql(copyReplaced(place.dialect));
  await settle(place);
  const { pid } = place.manager;
  let day = 0;
  const anotherDay = () => {
    day += 1;
    const on = new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10);
    return asAdministrator(place, `/readiness?on=${on}`);
  };
  const first10000 = await once({
    what: 'readiness, each chain read',
    target: '2 s',
    pid,
    ask: asAdministrator(place, '/readiness'),
  });
  return [
    first10000,
    await alone({ what: 'readiness of another day', target: '2 s', pid, ask: anotherDay }),
    await alone({
      what: 'readiness, cached for 60 s',
      target: '5 ms',
      pid,
      ask: asAdministrator(place, '/readiness'),
    }),
  ];
}

/** Makes the newest certificate of each name one of a public CA that no provider issued. */
async function issueElsewhere({ database, runSql }) {
  const pem = await publicChain();
  await database.longTransaction((tx) =>
    executeSql(tx, 'update certificates set pem = $1, provider_id = null', [pem]),
  );
  await runSql("update fqdn_standings set provider_id = null, outlook = 'no_provider'");
}

/** A chain of two, with the policy of domain validated certificates (2.23.140.1.2.1). */
async function publicChain() {
  const now = Math.floor(Date.now() / 1000) * 1000;
  const dates = { notBefore: new Date(now), notAfter: new Date(now + 200 * 86_400_000) };
  const subject = { commonName: 'CA', organization: 'Sectigo Limited' };
  const issuer = createIssuer(await createRoot({ keyKind: 'P-256', subject, ...dates, serialNumber: 1n }));
  const { publicKey } = await generateKeyPair('P-256');
  const leaf = await issueCertificate(issuer, {
    serialNumber: 2n,
    subjectDer: Buffer.of(0x30, 0),
    spkiDer: exportSpki(publicKey),
    ...dates,
    subjectAltNames: { dnsNames: ['host-0.example.test'] },
    extensions: [
      { oid: '2.5.29.32', critical: false, value: Buffer.from('300a3008060667810c010201', 'hex') },
    ],
  });
  return formatPem(certificateLabel, leaf) + formatPem(certificateLabel, issuer.certificate.der);
}

/** Earlier certificates of each name. */
function copyReplaced(dialect) {
  const change = ({ randomUuid }) => ({
    id: randomUuid,
    position: 'n.i + 1',
    leafSha256: 'null',
    replacedAt: 't.created_at',
  });
  return multiply(dialect, certificates, {
    where: 't.replaced_at is null',
    count: certificatesPerName - 1,
    change,
  });
}
