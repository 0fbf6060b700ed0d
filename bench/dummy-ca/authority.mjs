// Suite `ca`: signing by the dummy CA, beside cfssl and the limit that OpenSSL sets.
import { buildCsr, generateKeyPair } from '../../packages/crypto/dist/src/index.js';
import { postedInTurn } from '../measuring/wrk.mjs';
import { startService, withFolder } from '../services.mjs';
import { hasCfssl, startCfssl } from './cfssl.mjs';
import { opensslLimit } from './openssl-limit.mjs';

const kinds = [
  { kind: 'ec', keyType: 'P-256', target: '4,000/s, p99 15 ms' },
  { kind: 'rsa', keyType: 'RSA-2048', target: '2,500/s' },
];
// Each request has a key of its own: of the first rounds every key is new.
const manyRequests = 200;

export const authority = {
  name: 'ca',
  async run({ seconds }) {
    if (!hasCfssl) process.stderr.write('cfssl is not installed: nothing is measured beside the dummy CA\n');
    const rows = [];
    for (const each of kinds) rows.push(...(await withFolder((folder) => sideBySide(each, folder, seconds))));
    return rows;
  },
};

async function sideBySide({ kind, keyType, target }, folder, seconds) {
  const csrs = await makeCsrs(keyType);
  const ours = csrs.map((pem) => ({
    csr: Buffer.from(pem).toString('base64'),
    action: 'sign',
    validity_days: 365,
  }));
  const theirs = csrs.map((pem) => ({ certificate_request: pem }));
  const rows = [
    await opensslLimit({ what: `OpenSSL alone, ${keyType}`, kind, seconds: Math.min(seconds, 3) }),
  ];
  const post = async ({ url, pid, stop }, bodies, row) => {
    try {
      const texts = bodies.map((body) => JSON.stringify(body));
      rows.push(await postedInTurn({ ...row, url, pid, bodies: texts, seconds, folder }));
    } finally {
      await stop();
    }
  };
  const service = await startService('dummy-ca', { DUMMY_CA_KEY_TYPE: keyType });
  await post({ ...service, url: `${service.url}/csr` }, ours, {
    what: `dummy-ca POST /csr, ${keyType}`,
    target,
  });
  if (hasCfssl) await post(await startCfssl(keyType, folder), theirs, { what: `cfssl serve, ${keyType}` });
  return rows;
}

async function makeCsrs(keyType) {
  const csrs = [];
  for (let n = 0; n < manyRequests; n += 1) {
    const { privateKey } = await generateKeyPair(keyType);
    const name = `host-${n}.example.test`;
    csrs.push((await buildCsr({ privateKey, subject: { commonName: name }, dnsNames: [name] })).pem);
  }
  return csrs;
}
