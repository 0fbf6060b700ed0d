import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { testIf } from '../support/client-place.js';
import { type PublicCa, startPublicCa } from '../support/public-ca.js';

const unasked = 'it does not ask whether a certificate is revoked';
const uacme = testIf(hasProgram('uacme', unasked, ['-V'], 2));
const certbot = testIf(hasProgram('certbot', unasked));
const dehydrated = testIf(hasProgram('dehydrated', unasked));

let ca: PublicCa;
beforeAll(async () => {
  ca = await startPublicCa();
  ca.file('root.pem', ca.rootPem);
});
afterAll(() => ca.close());

const at = (...parts: readonly string[]) => join(ca.folder, ...parts);
const server = () => `${ca.url}/acme/directory`;
const leafOf = (path: string) => new X509Certificate(readFileSync(path));

describe('a client that asks by OCSP', () => {
  uacme('uacme keeps a certificate that is good, and replaces one that was revoked', async () => {
    const environment = { UACME_CHALLENGE_PATH: ca.folder };
    const ask = (...args: readonly string[]) =>
      say('uacme', ['-v', '-y', '-a', server(), '-c', at('u'), ...args], environment);
    const issue = ['-t', 'EC', '-h', '/usr/share/uacme/uacme.sh', 'issue', 'ocsp.uacme.test'];
    const path = at('u', 'ocsp.uacme.test', 'cert.pem');
    mkdirSync(at('u'));
    await ask('-t', 'EC', 'new');
    await ask(...issue);
    const { serialNumber } = leafOf(path);
    // it ends with 1 when there is nothing to do
    await expect(ask(...issue)).rejects.toThrow(/OCSP certificate status is GOOD/);
    await ca.revoke(serialNumber, 'keyCompromise');
    expect(await ask(...issue)).toContain('OCSP certificate status is REVOKED');
    expect(leafOf(path).serialNumber).not.toBe(serialNumber);
  });

  certbot('certbot renews a certificate that was revoked long before its end', async () => {
    const folders = ['config', 'work', 'logs'].flatMap((kind) => [`--${kind}-dir`, at('c', kind)]);
    const ask = (command: string, ...args: readonly string[]) =>
      say('certbot', [command, '-n', '--server', server(), ...folders, ...args]);
    const account = ['--agree-tos', '-m', 'ada@example.test', '--no-eff-email'];
    await ask('certonly', ...account, '--webroot', '-w', ca.folder, '-d', 'ocsp.certbot.test');
    const path = at('c', 'config', 'live', 'ocsp.certbot.test', 'cert.pem');
    const { serialNumber } = leafOf(path);
    await ca.revoke(serialNumber, 'superseded');
    expect(await ask('certificates')).toContain('INVALID: REVOKED');
    await ask('renew', '--no-random-sleep-on-renew');
    expect(leafOf(path).serialNumber).not.toBe(serialNumber);
  });

  dehydrated('dehydrated keeps an answer for stapling', async () => {
    const lines = [
      `CA=${server()}`,
      `BASEDIR=${at('d')}`,
      `WELLKNOWN=${ca.folder}`,
      'KEY_ALGO=prime256v1',
      'KEYSIZE=2048',
      'OCSP_FETCH=yes',
    ];
    mkdirSync(at('d'));
    const config = ca.file('dehydrated', `${lines.join('\n')}\n`);
    const ask = (...args: readonly string[]) =>
      say('dehydrated', ['-f', config, ...args], { SSL_CERT_FILE: at('root.pem') });
    await ask('--register', '--accept-terms');
    await ask('-c', '-d', 'ocsp.dehydrated.test');
    const file = (name: string) => at('d', 'certs', 'ocsp.dehydrated.test', name);
    const judged = ['-respin', file('ocsp.der'), '-issuer', file('chain.pem'), '-cert', file('cert.pem')];
    const trust = ['-CAfile', at('root.pem'), '-verify_other', file('chain.pem'), '-no_nonce'];
    const said = await say('openssl', ['ocsp', ...judged, ...trust]);
    expect(said).toContain('Response verify OK');
    expect(said).toContain('cert.pem: good');
  });
});
