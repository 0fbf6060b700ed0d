import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { ImportSource } from '@certloop/contracts';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestAuthority, now, type TestCertificate } from './authority.fixture.js';
import { readToolFiles } from './tool-files.store.js';

let folder: string;
let rootPem: string;
let shop: TestCertificate;
let wild: TestCertificate;
beforeAll(async () => {
  const authority = await createTestAuthority();
  rootPem = authority.rootPem;
  shop = await authority.issue({ names: ['www.shop.test', 'shop.test'] });
  wild = await authority.issue({ names: ['shop.test', '*.shop.test'] });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certloop-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes files below the folder, by their paths. */
function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const read = async (tool: ImportSource, paths: readonly string[] = [''], withKeys = false) => {
  const at = paths.map((path) => join(folder, path));
  const { found, unusable } = await readToolFiles(tool, at, { withKeys, now });
  const shown = (path: string) => relative(folder, path);
  return {
    found: found.map(({ path, fqdn, pem }) => [shown(path), fqdn, pem.split('BEGIN CERT').length - 1]),
    unusable: unusable.map(({ path, reason, isFault }) => [shown(path), reason, isFault]),
    keys: await Promise.all(found.map(async (one) => (await one.readKeys()).map(String))),
  };
};

const account = '{"account": "not JSON that a parser accepts';

/** The files of each tool by its documentation, with the paths that may be given, and what is found. */
const layouts: readonly [
  ImportSource,
  () => Record<string, string>,
  readonly string[],
  readonly [string, string, number][],
][] = [
  [
    'certbot',
    () => ({
      'accounts/ca/directory/1/private_key.json': account,
      'live/README': 'This directory contains your keys and certificates.',
      'live/shop.test-0001/fullchain.pem': shop.pem + rootPem,
      'live/shop.test-0001/cert.pem': shop.pem,
      'live/shop.test-0001/chain.pem': rootPem,
      'live/shop.test-0001/privkey.pem': shop.keyPem,
      'archive/shop.test-0001/fullchain1.pem': shop.pem,
      'renewal/shop.test-0001.conf': 'version = 2.1.0',
    }),
    ['', 'live', 'live/shop.test-0001', 'live/shop.test-0001/fullchain.pem'],
    [['live/shop.test-0001/fullchain.pem', 'shop.test', 2]],
  ],
  [
    'dehydrated',
    () => ({
      'accounts/aHR0/account_key.pem': shop.keyPem,
      'certs/shop.test/cert.pem': shop.pem,
      'certs/shop.test/chain.pem': rootPem,
      'certs/shop.test/privkey.pem': shop.keyPem,
      'certs/shop.test/cert-1764000000.pem': shop.pem,
    }),
    ['', 'certs', 'certs/shop.test', 'certs/shop.test/cert.pem'],
    [['certs/shop.test/cert.pem', 'shop.test', 2]],
  ],
  [
    'acme.sh',
    () => ({
      '.acme.sh/account.conf': account,
      '.acme.sh/ca/acme.test/directory/account.key': account,
      '.acme.sh/*.shop.test_ecc/*.shop.test.cer': wild.pem,
      '.acme.sh/*.shop.test_ecc/fullchain.cer': wild.pem + rootPem,
      '.acme.sh/*.shop.test_ecc/*.shop.test.key': shop.keyPem,
      '.acme.sh/shop.test/shop.test.cer': shop.pem,
      '.acme.sh/shop.test/ca.cer': rootPem,
      '.acme.sh/shop.test/shop.test.key': shop.keyPem,
    }),
    ['', '.acme.sh'],
    [
      ['.acme.sh/*.shop.test_ecc/fullchain.cer', '*.shop.test', 2],
      ['.acme.sh/shop.test/shop.test.cer', 'shop.test', 2],
    ],
  ],
  [
    'lego',
    () => ({
      '.lego/accounts/acme.test/ada@example.test/account.json': account,
      '.lego/certificates/_.shop.test.crt': wild.pem,
      '.lego/certificates/_.shop.test.issuer.crt': rootPem,
      '.lego/certificates/_.shop.test.key': shop.keyPem,
      '.lego/certificates/_.shop.test.json': account,
    }),
    ['', '.lego', '.lego/certificates', '.lego/certificates/_.shop.test.crt'],
    [['.lego/certificates/_.shop.test.crt', '*.shop.test', 2]],
  ],
  [
    'caddy',
    () => ({
      'caddy/acme/acme.test-directory/users/ada/ada.key': account,
      'caddy/certificates/acme.test-directory/shop.test/shop.test.crt': shop.pem + rootPem,
      'caddy/certificates/acme.test-directory/shop.test/shop.test.key': shop.keyPem,
      'caddy/certificates/acme.test-directory/shop.test/shop.test.json': account,
      'caddy/certificates/local/wildcard_.shop.test/wildcard_.shop.test.crt': wild.pem,
      'caddy/certificates/local/wildcard_.shop.test/wildcard_.shop.test.key': shop.keyPem,
      'caddy/pki/authorities/local/root.crt': rootPem,
    }),
    ['', 'caddy', 'caddy/certificates'],
    [
      ['caddy/certificates/acme.test-directory/shop.test/shop.test.crt', 'shop.test', 2],
      ['caddy/certificates/local/wildcard_.shop.test/wildcard_.shop.test.crt', '*.shop.test', 1],
    ],
  ],
  [
    'pem',
    () => ({
      'nginx/shop.pem': `${shop.keyPem}${shop.pem}${rootPem}`,
      'nginx/shop-key.pem': account,
      'nginx/server.key': account,
      'nginx/notes.txt': account,
      'apache/deep/wild.key': shop.keyPem,
      'apache/deep/wild.crt': `Bag Attributes\n${rootPem}${wild.pem}`,
    }),
    [''],
    [
      ['apache/deep/wild.crt', 'shop.test', 2],
      ['nginx/shop.pem', 'www.shop.test', 2],
    ],
  ],
];

test.each(layouts)(
  'reads the certificates of %s from each of its paths',
  async (tool, filesOf, paths, found) => {
    write(filesOf());
    for (const path of paths)
      expect({ path, ...(await read(tool, [path])) }).toMatchObject({ path, found, unusable: [] });
  },
);

test.each(layouts)('finds the keys of %s', async (tool, filesOf) => {
  write(filesOf());
  const { keys } = await read(tool);
  for (const files of keys) expect(files.join()).toContain(shop.keyPem);
});

test.each(layouts)(
  'opens no file of %s that holds only a key or an account',
  async (tool, filesOf, _paths, found) => {
    const files = filesOf();
    write(files);
    const secrets = Object.keys(files).filter((path) => [shop.keyPem, account].includes(files[path] ?? ''));
    for (const path of secrets) {
      rmSync(join(folder, path));
      // opening it fails
      symlinkSync(basename(path), join(folder, path));
    }
    expect(secrets.length).toBeGreaterThan(1);
    const { found: all, unusable } = await readToolFiles(tool, [folder], { withKeys: false, now });
    expect(all.map(({ path }) => relative(folder, path))).toEqual(found.map(([path]) => path));
    expect(unusable).toEqual([]);
  },
);

const encode = (text: string) => Buffer.from(text).toString('base64');
const storeOf = (pem: string) =>
  JSON.stringify({
    web: {
      Account: { PrivateKey: encode(shop.keyPem) },
      Certificates: [
        {
          domain: { main: 'shop.test' },
          certificate: encode(pem),
          key: encode(shop.keyPem),
          Store: 'default',
        },
      ],
    },
  });

test('reads the storage of Traefik, with its keys only when they are asked for', async () => {
  write({ 'acme.json': storeOf(shop.pem + rootPem), 'dynamic.json': '[]' });
  const found = [['acme.json', 'shop.test', 2]];
  for (const path of ['', 'acme.json'])
    expect(await read('traefik', [path])).toEqual({ found, unusable: [], keys: [[]] });
  expect(await read('traefik', [''], true)).toMatchObject({ keys: [[shop.keyPem]] });
});

test('names what is damaged, and reads the rest', async () => {
  write({
    'a-good.pem': shop.pem,
    'b-damaged.pem': `${rootPem}${shop.pem.replace('MII', 'XII')}`,
    'c-truncated.pem': shop.pem.slice(0, 200),
    'd-empty.pem': '',
    'e-cas.pem': rootPem,
    'f-keys.pem': shop.keyPem,
    'g-huge.pem': shop.pem,
    'h-text.pem': 'text',
    'z/good.pem': wild.pem,
  });
  writeFileSync(join(folder, 'i-der.crt'), shop.der);
  truncateSync(join(folder, 'g-huge.pem'), 1024 ** 3);
  symlinkSync('j-loop.pem', join(folder, 'j-loop.pem'));
  symlinkSync('nowhere', join(folder, 'k-lost.pem'));
  symlinkSync('..', join(folder, 'z', 'back'));
  expect(spawnSync('mkfifo', [join(folder, 'l-pipe.pem')]).status).toBe(0);
  const { found, unusable } = await read('pem');
  expect(found.map(([path]) => path)).toEqual(['a-good.pem', 'z/good.pem']);
  const damagedLine = rootPem.split('\n').length;
  expect(unusable).toEqual([
    ['b-damaged.pem', `the certificate at line ${damagedLine} is damaged`, true],
    ['c-truncated.pem', 'the certificate at line 1 is damaged', true],
    ['d-empty.pem', 'it is empty', true],
    ['e-cas.pem', 'it contains only certificates of CAs', false],
    ['f-keys.pem', 'it contains no certificate in PEM', false],
    ['g-huge.pem', 'it is larger than 1 MiB', true],
    ['h-text.pem', 'it contains no certificate in PEM', false],
    ['i-der.crt', 'it is DER: convert it with openssl x509 -inform DER -in FILE -out FILE.pem', true],
    ['j-loop.pem', 'its links lead in a circle; check the path', true],
    ['k-lost.pem', 'there is no such file or folder; check the path', true],
    ['l-pipe.pem', 'it is not a file', true],
  ]);
});

test.each<[ImportSource, Record<string, string>, readonly string[]]>([
  ['certbot', { 'live/a/privkey.pem': 'K' }, ['live/a', 'it has a key and no certificate']],
  ['acme.sh', { 'a/a.key': 'K', 'a/a.csr': 'C' }, ['a', 'it has a key and no certificate']],
  ['lego', { 'certificates/a.key': 'K' }, ['certificates', 'it has a key and no certificate']],
  ['pem', { 'a.key': 'K' }, ['', 'no file in it ends in .pem, .crt, .cer or .cert, except those of keys']],
  [
    'traefik',
    { 'acme.json': '{"web": {"Account"' },
    ['acme.json', 'it is damaged: it is not JSON, or a part of it is missing'],
  ],
  ['traefik', { 'acme.json': '{"web": {"Certificates": []}}' }, ['acme.json', 'it has no certificate yet']],
  ['traefik', { 'other.json': '{}' }, ['', 'there is no acme.json: PATH is that file or its folder']],
  [
    'certbot',
    { 'a.txt': '' },
    [
      '',
      'there is no certificate of certbot: PATH is /etc/letsencrypt, its folder live, or one folder of that',
    ],
  ],
])('says why %s has nothing in %j', async (tool, files, [path, reason]) => {
  write(files);
  expect(await read(tool)).toMatchObject({ found: [], unusable: [[path, reason, expect.any(Boolean)]] });
});

test('opens the file of a key neither where it is given nor where it is found', async () => {
  symlinkSync('privkey.pem', join(folder, 'privkey.pem'));
  const reason = 'it is named as the file of a key, so it was not opened';
  expect(await read('pem', ['privkey.pem'])).toMatchObject({ unusable: [['privkey.pem', reason, false]] });
});

test('reads a file of a certificate by another spelling of its path', async () => {
  write({ 'live/shop.test/fullchain.pem': shop.pem });
  const path = `${folder}/live/./shop.test//fullchain.pem`;
  const { found, unusable } = await readToolFiles('certbot', [path], { withKeys: false, now });
  expect([found.map(({ fqdn }) => fqdn), unusable]).toEqual([['shop.test'], []]);
});

test.each([
  [{ certificates: 2, entries: 100 }, 'c.pem', '2 certificates'],
  [{ certificates: 9, entries: 7 }, 'e/f', '7 files'],
])('stops at the limits %j and names the path once', async (limits, path, max) => {
  const names = ['a.pem', 'b.pem', 'c.pem', 'd.pem', 'e/f/g.pem', 'e/f/h.pem', 'e/i/j.pem'];
  write(Object.fromEntries(names.map((name) => [name, shop.pem])));
  const paths = [folder, folder];
  const { found, unusable } = await readToolFiles('pem', paths, { withKeys: false, now, limits });
  expect(found.length).toBeLessThan(5);
  const reason = `there are more than ${max}, and the rest is not read: import single folders`;
  expect(unusable).toEqual([{ path: join(folder, path), reason, isFault: true }]);
});

test('reads the other paths when one is absent', async () => {
  write({ 'a.pem': shop.pem });
  expect(await read('pem', ['absent', 'a.pem'])).toMatchObject({
    found: [['a.pem', 'www.shop.test', 1]],
    unusable: [['absent', 'there is no such file or folder; check the path', true]],
  });
});
