import { cpSync, readFileSync } from 'node:fs';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  type ClientPlace,
  externalAccount,
  openClientPlace,
  type Scheme,
  schemes,
  testIf,
} from '../support/client-place.js';
import { statusOf, traitsOf, verifiedLeaf } from '../support/verified-leaf.js';

const certbot = testIf(hasProgram('certbot', 'it proves nothing here'));

let place: ClientPlace;
beforeAll(async () => {
  place = await openClientPlace();
});
afterAll(() => place.close());

/** Runs certbot with an account and certificates of its own in a folder below the place. */
function ask(scheme: Scheme, folder: string, command: string, ...args: readonly string[]): Promise<string> {
  const folders = ['config', 'work', 'logs'].flatMap((kind) => [`--${kind}-dir`, place.at(folder, kind)]);
  return say('certbot', [command, '-n', '--server', place.directory(scheme), ...folders, ...args], {
    REQUESTS_CA_BUNDLE: place.at('root.pem'),
  });
}

const account = ['--agree-tos', '-m', 'ada@example.test', '--no-eff-email'];
const byWebRoot = () => [...account, '--webroot', '-w', place.web.folder];
const live = (folder: string, name: string, file: string) => place.at(folder, 'config', 'live', name, file);

describe.each(schemes)('certbot over %s', (scheme) => {
  certbot('issues, renews and revokes', async () => {
    const name = `one.${scheme}.certbot.test`;
    const chain = live(scheme, name, 'fullchain.pem');
    await ask(scheme, scheme, 'certonly', ...byWebRoot(), '-d', name);
    const first = await verifiedLeaf(place, name, chain);
    const force = ['--force-renewal', '--no-random-sleep-on-renew', '--cert-name', name];
    await ask(scheme, scheme, 'renew', ...force);
    const second = await verifiedLeaf(place, name, chain);
    expect(second.serialNumber).not.toBe(first.serialNumber);
    const why = ['--reason', 'superseded', '--no-delete-after-revoke'];
    await ask(scheme, scheme, 'revoke', '--cert-name', name, ...why);
    expect([await statusOf(place, first), await statusOf(place, second)]).toEqual(['good', 'superseded']);
  });

  certbot('issues with an external account for a CSR of another key', async () => {
    const name = `csr.${scheme}.certbot.test`;
    const folder = `bound-${scheme}`;
    const bound = ['--eab-kid', externalAccount.kid, '--eab-hmac-key', externalAccount.key];
    const paths = ['cert', 'chain', 'fullchain'].flatMap((kind) => [
      `--${kind}-path`,
      place.at(`${name}-${kind}.pem`),
    ]);
    const csr = ['--csr', await place.foreignCsr(name)];
    await ask(scheme, folder, 'certonly', ...byWebRoot(), ...bound, ...csr, ...paths);
    const leaf = await verifiedLeaf(place, name, place.at(`${name}-fullchain.pem`));
    expect(leaf.subjectAltName).toBe(`DNS:${name}`);
  });
});

describe('certbot', () => {
  certbot('proves a wildcard by dns-01, and has it up to the root that it prefers', async () => {
    const name = 'wild.certbot.test';
    const hook = `echo "$CERTBOT_VALIDATION" >> "${place.records}/_acme-challenge.$CERTBOT_DOMAIN"`;
    const manual = ['--manual', '--preferred-challenges', 'dns', '--manual-auth-hook', hook];
    const preferred = ['--preferred-chain', 'CertLoop Dummy CA Alternate Root'];
    const key = ['--key-type', 'rsa', '--must-staple'];
    const names = ['-d', `*.${name}`, '-d', name];
    await ask('http', 'wild', 'certonly', ...account, ...manual, ...preferred, ...key, ...names);
    const chain = live('wild', name, 'fullchain.pem');
    const leaf = await verifiedLeaf(place, `www.${name}`, chain, 'alternate-root.pem');
    expect(leaf.subjectAltName).toBe(`DNS:*.${name}, DNS:${name}`);
    expect(traitsOf(leaf)).toEqual([2048, true]);
  });

  certbot('revokes by the key of the certificate, and ends its account', async () => {
    const name = 'end.certbot.test';
    const curve = ['--key-type', 'ecdsa', '--elliptic-curve', 'secp384r1'];
    await ask('https', 'end', 'certonly', ...byWebRoot(), ...curve, '-d', name);
    const leaf = await verifiedLeaf(place, name, live('end', name, 'fullchain.pem'));
    expect(traitsOf(leaf)).toEqual(['secp384r1', false]);
    const file = (kind: string) => live('end', name, `${kind}.pem`);
    const key = ['--cert-path', file('cert'), '--key-path', file('privkey')];
    // a stranger, whose account did not order it
    await ask('https', 'stranger', 'revoke', ...key, '--reason', 'keycompromise', '--no-delete-after-revoke');
    expect(await statusOf(place, leaf)).toBe('keyCompromise');
    await ask('https', 'end', 'update_account', '-m', 'bob@example.test', '--no-eff-email');
    expect(await ask('https', 'end', 'show_account')).toContain('bob@example.test');
    // a copy that does not know of it
    cpSync(place.at('end'), place.at('copy'), { recursive: true });
    await ask('https', 'end', 'unregister');
    // it stumbles over the refusal, which stands in its log
    await expect(ask('https', 'copy', 'show_account')).rejects.toThrow();
    const log = readFileSync(place.at('copy', 'logs', 'letsencrypt.log'), 'utf8');
    expect(log).toContain('the account is deactivated');
  });
});
