import { expect, test } from 'vitest';
import { parseTraefikStore, type TraefikStore } from './traefik-store.js';

const encode = (text: string) => Buffer.from(text).toString('base64');
const account = { Email: 'ada@example.test', PrivateKey: encode('ACCOUNT KEY'), KeyType: '4096' };
const entry = (main: string) => ({
  domain: { main, sans: [`www.${main}`] },
  certificate: encode(`PEM of ${main}`),
  key: encode(`KEY of ${main}`),
  Store: 'default',
});
const store = {
  web: { Account: account, Certificates: [entry('a.test'), entry('b.test')] },
  dns: { Account: account, Certificates: null },
  new: { Account: null },
};
const parse = (content: unknown, withKeys = false) =>
  parseTraefikStore(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), {
    withKeys,
  });

test('returns the certificates of all resolvers without keys and accounts', () => {
  const { certificates, damaged } = parse(store) as TraefikStore;
  expect(damaged).toEqual([]);
  expect(certificates).toEqual(
    ['a.test', 'b.test'].map((name) => ({
      resolver: 'web',
      names: [name],
      certificate: Buffer.from(`PEM of ${name}`),
    })),
  );
});

test('returns keys if they are asked for', () => {
  const { certificates } = parse(store, true) as TraefikStore;
  expect(certificates.map(({ key }) => String(key))).toEqual(['KEY of a.test', 'KEY of b.test']);
});

test('names a damaged certificate and returns the others', () => {
  const damaged = { web: { Certificates: [{ domain: { main: 'a.test' } }, entry('b.test')] } };
  expect(parse(damaged)).toMatchObject({
    certificates: [{ names: ['b.test'] }],
    damaged: ['the certificate 1 of the resolver web'],
  });
});

test.each([
  ['nothing', '', 'it is empty'],
  [
    'a part of the file',
    JSON.stringify(store).slice(0, -20),
    'it is damaged: it is not JSON, or a part of it is missing',
  ],
  ['another JSON', '["KEY"]', 'it is not a storage of certificates of Traefik 2 or 3 (acme.json)'],
  [
    'the file of Traefik 1',
    { Account: account, Certificates: [{ Domain: { Main: 'a.test' }, Certificate: 'x', Key: 'x' }] },
    'it is not a storage of certificates of Traefik 2 or 3 (acme.json)',
  ],
])('rejects %s without a word of it', (_what, content, reason) => {
  expect(parse(content)).toBe(reason);
});
