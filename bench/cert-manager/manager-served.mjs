// Suite `served`: the prober of served certificates with 10,000 targets that are due, each at an address of its own,
// in a process without requests; the same of servers that are watched, unchanged and all renewed elsewhere; and the list
// of 1,000 FQDNs that have targets.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { servedFqdns } from '../../apps/cert-manager/dist/src/targets/served/served-fqdns.repository.js';
import { targets } from '../../apps/cert-manager/dist/src/targets/targets.repository.js';
import {
  certificateLabel,
  createIssuer,
  createRoot,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
} from '../../packages/crypto/dist/src/index.js';
import { measureOnEach, settle } from '../databases.mjs';
import { alone } from '../measuring/measure.mjs';
import { multiply } from '../multiply.mjs';
import { asAdministrator, withManager } from './manager-place.mjs';
import { seedCertificates } from './manager-seed.mjs';

const kind = '00000010';
const listed = 1_000;
const count = 10_000;

export const served = {
  name: 'served',
  run: ({ seconds, dialects }) =>
    measureOnEach(dialects, async (database) => {
      const server = fork(new URL('served-server.mjs', import.meta.url));
      const [{ port }] = await once(server, 'message');
      const environment = { PROBE_ALLOW_CIDRS: '127.0.0.0/8', PROBE_PORTS: String(port) };
      try {
        const place = { seconds, server, port, environment };
        return await withManager(database, (made) => measure({ ...made, ...place }), environment);
      } finally {
        server.disconnect();
      }
    }),
};

async function measure(place) {
  const first = await seedFirst(place);
  await seedCopies(place, first, { from: 1, to: listed - 1 });
  await settle(place);
  const what = `list what ${listed.toLocaleString('en')} FQDNs serve`;
  const ask = asAdministrator(place, `/served?limit=${listed}`);
  const list = await alone({ what, target: '40 ms', pid: place.manager.pid, ask });
  // it would probe beside the process that is measured
  await place.manager.stop();
  await seedCopies(place, first, { from: listed, to: count - 1 });
  await place.runSql('update targets set due_at = created_at');
  await settle(place);
  const probes = await measureProber(place, 'targets');
  await adoptAll(place);
  const [unchanged] = await measureProber(place, 'watched servers');
  await renewElsewhere(place, first);
  const [renewed] = await measureProber(place, 'watched servers that were renewed elsewhere');
  return [list, ...probes, unchanged, renewed];
}

/** Makes the targets as those of watched servers, whose certificates were adopted. */
async function adoptAll(place) {
  await place.runSql("update certificates set imported_at = created_at, source = 'served'");
  await place.runSql('update targets set adopt = true');
  await probeAllAgain(place);
}

async function probeAllAgain(place) {
  await place.runSql('delete from target_states');
  await place.runSql('update targets set due_at = created_at, lease_token = null');
  await settle(place);
}

/** Has the server present a certificate that was obtained elsewhere, just now. */
async function renewElsewhere(place, { fqdn }) {
  const notBefore = new Date();
  const notAfter = new Date(notBefore.getTime() + 90 * 86_400_000);
  const wider = {
    notBefore: new Date(notBefore.getTime() - 86_400_000),
    notAfter: new Date(notAfter.getTime() + 86_400_000),
  };
  const subject = { commonName: 'Elsewhere' };
  const root = await createIssuer(
    await createRoot({ keyKind: 'P-256', subject, serialNumber: 1n, ...wider }),
  );
  const { publicKey, privateKey } = await generateKeyPair('P-256');
  const der = await issueCertificate(root, {
    serialNumber: 2n,
    subjectDer: Buffer.of(0x30, 0),
    spkiDer: exportSpki(publicKey),
    notBefore,
    notAfter,
    subjectAltNames: { dnsNames: [fqdn] },
  });
  const cert = [der, root.certificate.der].map((each) => formatPem(certificateLabel, each)).join('');
  place.server.send({ cert, key: exportPrivateKeyPem(privateKey) });
  await once(place.server, 'message');
  await probeAllAgain(place);
}

/** An FQDN whose certificate the server serves, with a target that was probed. */
async function seedFirst(place) {
  const { client, server, port } = place;
  const { privateKey } = await generateKeyPair('P-256');
  const { spaceId, first } = await seedCertificates(place, { kind, count, privateKey });
  const params = { spaceId, fqdnId: first.id };
  const { body: certificates } = await client.listCertificates({ params });
  server.send({ cert: certificates[0].pem, key: exportPrivateKeyPem(privateKey) });
  await once(server, 'message');
  const body = { host: '127.0.0.1', port, sni: first.fqdn };
  const { body: target } = await client.createTarget({ params, body });
  const { body: shown } = await client.probeTarget({ params: { ...params, targetId: target.id } });
  if (shown.class !== 'current') throw new Error(`the server serves what is ${shown.class}`);
  return { fqdn: first.fqdn, fqdnId: first.id, targetId: target.id };
}

/** Targets of the copies of the FQDN by their numbers, due in a year. */
async function seedCopies({ dialect, runSql }, { fqdnId, targetId }, { from, to }) {
  const copies = to - from + 1;
  const number = `(n.i + ${from - 1})`;
  const ofFqdn = ({ uuid }) => ({ id: uuid(kind, number), fqdn: `'host-' || ${number} || '.example.test'` });
  const where = `t.id = '${fqdnId}'`;
  await runSql(multiply(dialect, servedFqdns, { where, count: copies, change: ofFqdn }));
  const ofTarget = ({ uuid, instant }) => ({
    id: uuid(kind, number),
    fqdnId: uuid(kind, number),
    host: `'127.1.' || (${number} / 250) || '.' || (${number} % 250 + 1)`,
    dueAt: instant(Math.floor(Date.now() / 1000) + 31_536_000),
  });
  await runSql(
    multiply(dialect, targets, { where: `t.id = '${targetId}'`, count: copies, change: ofTarget }),
  );
}

async function measureProber({ url, environment, seconds }, whose) {
  const prober = fork(new URL('served-prober.mjs', import.meta.url));
  prober.send({ url, environment, seconds });
  const [{ probed, ms, cpuMs, ownBytes, peakBytes }] = await once(prober, 'message');
  prober.disconnect();
  const perSecond = (probed * 1e3) / ms;
  const perCore = (probed * 1e3) / cpuMs;
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
  const of = `${count.toLocaleString('en')} ${whose}`;
  const figure = `${perCore.toFixed(0)}/s of a core, ${perSecond.toFixed(0)}/s here`;
  return [
    { what: `probes of ${of}`, figure, target: '50/s of a core', perSecond, cpuMs: cpuMs / probed },
    {
      what: `memory for ${of}, beside ${megabytes(ownBytes)} of the manager`,
      target: '80 MB',
      figure: megabytes(peakBytes - ownBytes),
    },
  ];
}
