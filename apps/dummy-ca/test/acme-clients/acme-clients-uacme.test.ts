import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { until } from '@certloop/contracts/testing';
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

const hasUacme = hasProgram('uacme', 'it proves nothing here', ['-V'], 2);
const uacme = testIf(hasUacme);
// uacme takes its roots from the system alone, so they are laid over for its process.
const canMount = hasUacme && hasProgram('unshare', 'uacme is not asked over https', ['-m', 'true']);
const uacmeOver = { http: uacme, https: testIf(canMount) };
const ualpn = testIf(hasUacme && hasProgram('ualpn', 'uacme does not prove by tls-alpn-01', ['-V'], 1));

/** Hook of the package that answers http-01 alone, and declines what is offered before. */
const byWebRoot = '/usr/share/uacme/uacme.sh';

let place: ClientPlace;
beforeAll(async () => {
  place = await openClientPlace();
});
afterAll(() => place.close());

/** Runs uacme with an account and certificates of its own in a folder below the place. */
function ask(scheme: Scheme, folder: string, ...args: readonly string[]): Promise<string> {
  mkdirSync(place.at(folder), { recursive: true });
  const command = ['uacme', '-y', '-a', place.directory(scheme), '-c', place.at(folder), ...args];
  const lay = `mount --bind ${place.at('root.pem')} /etc/ssl/certs/ca-certificates.crt && exec "$@"`;
  const [program = '', ...rest] =
    scheme === 'http' ? command : ['unshare', '-m', 'sh', '-c', lay, 'sh', ...command];
  return say(program, rest, { UACME_CHALLENGE_PATH: place.web.challenges });
}

const file = (folder: string, name: string) => place.at(folder, name, 'cert.pem');
const key = (folder: string, name: string) => place.at(folder, 'private', name, 'key.pem');

describe.each(schemes)('uacme over %s', (scheme) => {
  uacmeOver[scheme]('issues, renews and revokes', async () => {
    const name = `one.${scheme}.uacme.test`;
    const issue = ['-t', 'EC', '-h', byWebRoot, 'issue', name];
    await ask(scheme, scheme, 'new', 'ada@example.test');
    await ask(scheme, scheme, ...issue);
    const first = await verifiedLeaf(place, name, file(scheme, name));
    await ask(scheme, scheme, '-f', ...issue);
    const second = await verifiedLeaf(place, name, file(scheme, name));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    await ask(scheme, scheme, '-r', '4', 'revoke', file(scheme, name));
    expect([await statusOf(place, first), await statusOf(place, second)]).toEqual(['good', 'superseded']);
  });

  uacmeOver[scheme]('issues and renews with an external account for a CSR of another key', async () => {
    const name = `csr.${scheme}.uacme.test`;
    const folder = `bound-${scheme}`;
    const issue = ['-h', byWebRoot, 'issue', await place.foreignCsr(name)];
    await ask(scheme, folder, '-e', `${externalAccount.kid}:${externalAccount.key}`, 'new');
    await ask(scheme, folder, ...issue);
    const first = await verifiedLeaf(place, name, place.at(`${name}-cert.pem`));
    await ask(scheme, folder, '-f', ...issue);
    const second = await verifiedLeaf(place, name, place.at(`${name}-cert.pem`));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    expect(second.publicKey.equals(first.publicKey)).toBe(true);
  });
});

describe('uacme', () => {
  uacme('issues for a key of P-384 with must-staple', async () => {
    const name = 'staple.uacme.test';
    await ask('http', 'staple', '-t', 'EC', '-b', '384', 'new');
    await ask('http', 'staple', '-t', 'EC', '-b', '384', '-m', '-h', byWebRoot, 'issue', name);
    expect(traitsOf(await verifiedLeaf(place, name, file('staple', name)))).toEqual(['secp384r1', true]);
  });

  uacme('proves an address by http-01 if it is not the common name', async () => {
    await ask('http', 'address', 'new');
    const issue = ['-h', byWebRoot, 'issue'];
    // its own CSR has the address as common name, which public CAs refuse too
    await expect(ask('http', 'address', ...issue, '127.0.0.1')).rejects.toThrow(
      /common name .* is an address/,
    );
    await ask('http', 'address', ...issue, await place.foreignCsr('127.0.0.1'));
    const leaf = await verifiedLeaf(place, '127.0.0.1', place.at('127.0.0.1-cert.pem'));
    expect(leaf.subjectAltName).toBe('IP Address:127.0.0.1');
  });

  uacme('proves a wildcard by dns-01, and takes the chain up to the other root', async () => {
    const hook = place.script(
      'uacme-records',
      '[ "$2" = dns-01 ] || exit 1',
      `[ "$1" != begin ] || echo "$5" >> "${place.records}/_acme-challenge.$3"`,
    );
    const name = 'wild.uacme.test';
    await ask('http', 'wild', 'new');
    await ask('http', 'wild', '-l', '1', '-h', hook, 'issue', `*.${name}`, name);
    const leaf = await verifiedLeaf(place, `www.${name}`, file('wild', name), 'alternate-root.pem');
    expect(leaf.subjectAltName).toBe(`DNS:*.${name}, DNS:${name}`);
    expect(traitsOf(leaf)).toEqual([2048, false]);
  });

  uacme('changes the key of its account, revokes by that of the certificate, and ends', async () => {
    const name = 'end.uacme.test';
    const issue = ['-t', 'EC', '-h', byWebRoot, 'issue', name];
    await ask('http', 'end', '-t', 'EC', 'new');
    cpSync(place.at('end'), place.at('old'), { recursive: true });
    await ask('http', 'end', '-t', 'EC', 'newkey');
    await expect(ask('http', 'old', ...issue)).rejects.toThrow(/no account/);
    await ask('http', 'end', ...issue);
    const leaf = await verifiedLeaf(place, name, file('end', name));
    // without an account
    await ask('http', 'none', '-r', '1', 'revoke', file('end', name), key('end', name));
    expect(await statusOf(place, leaf)).toBe('keyCompromise');
    await ask('http', 'end', 'update', 'bob@example.test');
    await ask('http', 'end', 'deactivate');
    await expect(ask('http', 'end', '-f', ...issue)).rejects.toThrow(/account is deactivated/);
  });

  ualpn('proves a name and an address by tls-alpn-01', async () => {
    const socket = place.at('ualpn.sock');
    const hook = place.script(
      'uacme-ualpn',
      '[ "$2" = tls-alpn-01 ] || exit 1',
      'case "$1" in begin) asked="auth $3 $5" ;; *) asked="unauth $3" ;; esac',
      `[ "$(echo "$asked" | ualpn -s ${socket})" = OK ] || exit 1`,
      '[ "$1" = begin ] || exit 0',
      // it says OK before the process that answers knows
      `answers() { openssl s_client -connect 127.0.0.1:${place.tlsAlpn01Port} -alpn acme-tls/1 -servername "$1" </dev/null 2>/dev/null | grep -q 'ALPN protocol: acme-tls/1'; }`,
      // an address is asked for by its reverse name (RFC 8738 §6)
      'case "$3" in 127.0.0.1) name=1.0.0.127.in-addr.arpa ;; *) name=$3 ;; esac',
      'until answers "$name"; do sleep 0.1; done',
    );
    const server = await startUalpn(socket);
    try {
      await ask('http', 'alpn', '-t', 'EC', 'new');
      await ask('http', 'alpn', '-t', 'EC', '-h', hook, 'issue', 'alpn.uacme.test', '127.0.0.1');
    } finally {
      await server.close();
    }
    const leaf = await verifiedLeaf(place, 'alpn.uacme.test', file('alpn', 'alpn.uacme.test'));
    expect(leaf.subjectAltName).toBe('DNS:alpn.uacme.test, IP Address:127.0.0.1');
  });
});

/** The server of the package that answers tls-alpn-01, as a socket instructs it. */
async function startUalpn(socket: string): Promise<{ close(): Promise<void> }> {
  const bind = ['-b', `127.0.0.1@${place.tlsAlpn01Port}`];
  // it hands on what is not meant for it, which is nothing
  const server = spawn('ualpn', [...bind, '-c', '127.0.0.1@1', '-s', socket], { stdio: 'ignore' });
  await until(() => existsSync(socket));
  return {
    close: async () => {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}
