import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type AcmeTool, acmeSetup, acmeSetupText, acmeTools } from './acme-setup.js';
import { sampleFacts } from './sample-facts.fixture.js';
import { exampleNames, faultsOfSetup, type SetupField, slugOf } from './setup-facts.js';

const hostile: readonly (readonly [SetupField, string | readonly string[], string])[] = [
  ['directoryUrl', 'https://a.test/$(id)', 'is not the URL of a directory'],
  ['directoryUrl', 'ftp://a.test/directory', 'is not the URL of a directory'],
  ['kid', '-kid', 'is not the identifier of a key'],
  ['kid', 'a:b', 'is not the identifier of a key'],
  ['hmacKey', 'a b', 'is not a key in base64url'],
  ['names', [], 'needs a name'],
  ['names', ['a.test', 'b.test; id'], '"b.test; id" is not a host name'],
  ['names', ['a.*.test'], '"a.*.test" is not a host name'],
  ['names', ['-d.test'], '"-d.test" is not a host name'],
  ['email', 'a@b.test -x', 'is not an address'],
  ['rootFile', '/root".pem', 'is an absolute path without quotes, braces and dollar signs'],
  ['rootFile', '/{$HOME}/x', 'is an absolute path without quotes, braces and dollar signs'],
  ['rootFile', 'root.pem', 'is an absolute path without quotes, braces and dollar signs'],
  ['rootPem', 'AA"\n', 'is not a certificate in PEM'],
  ['reload', 'a\nEOF\nid', 'is a command of one line'],
  ['reload', ' ', 'is a command of one line'],
];

test.each(hostile)('refuses %s %j', (field, value, fault) => {
  const facts = { ...sampleFacts, [field]: value };
  expect(faultsOfSetup(facts)).toEqual({ [field]: fault });
  for (const tool of acmeTools) expect(() => acmeSetup(tool, facts)).toThrow(`${field}: ${fault}`);
});

test('accepts names in every script, wildcards and names of one label', () => {
  expect(faultsOfSetup({ ...sampleFacts, names: ['bücher.test', '*.a_b.test', 'localhost'] })).toEqual({});
});

// each reads values that need quotes, through a real shell
const asRead: readonly (readonly [AcmeTool, string, string])[] = [
  ['certbot', 'certbot', '[--deploy-hook][cp \'a b\' "$HOME" # 5%]'],
  ['lego', 'lego', '[run][--run-hook][cp \'a b\' "$HOME" # 5%]'],
  ['lego5', 'lego', '[--deploy-hook][cp \'a b\' "$HOME" # 5%]'],
  ['acme.sh', 'acme.sh', '[--reloadcmd][cp \'a b\' "$HOME" # 5%]'],
];

test.each(asRead)(
  'a shell reads the hook of %s as one word, and the wildcard as it is',
  (tool, program, end) => {
    const facts = { ...sampleFacts, names: ['*.a.test'], reload: 'cp \'a b\' "$HOME" # 5%' };
    const { steps } = acmeSetup(tool, facts);
    const order = steps.find(({ title }) => title === 'Order the certificate')?.text ?? '';
    const shown = order.replace(`${program} `, `printf '[%s]' `);
    const read = execFileSync('sh', ['-c', shown], { encoding: 'utf8', cwd: '/etc' });
    expect(read).toContain('[-d][*.a.test]');
    expect(read.endsWith(end)).toBe(true);
  },
);

test.each(acmeTools)('names no root for %s where the machine trusts the server', (tool) => {
  const { rootFile: _file, rootPem: _pem, ...facts } = sampleFacts;
  expect(acmeSetupText(tool, facts)).not.toMatch(
    /root\.pem|CA_BUNDLE|CA_CERT|caBundle|certloop-root|cacert/i,
  );
});

test('uses the address of a person where there is one', () => {
  const facts = { ...sampleFacts, email: 'ops@example.com' };
  const without = acmeTools.filter((tool) => !acmeSetupText(tool, facts).includes('ops@example.com'));
  expect(without).toEqual([]);
});

test('names the file of a wildcard without its star', () => {
  const facts = { ...sampleFacts, names: ['*.example.com'] };
  expect(acmeSetupText('dehydrated', facts)).toContain('\n*.example.com > wildcard.example.com\n');
  expect(acmeSetupText('haproxy', facts)).toContain('/certloop/wildcard.example.com.pem');
  expect(acmeSetupText('certbot', facts)).toContain('/etc/letsencrypt/live/example.com.');
});

test('lets the cluster read the root from its file where its content is not known', () => {
  const { rootPem: _pem, ...facts } = sampleFacts;
  expect(acmeSetupText('k8s', facts)).toContain('"$(base64 -w0 /etc/ssl/root.pem)"');
});

test('warns of a path with a space where dehydrated cannot take it', () => {
  const facts = { ...sampleFacts, rootFile: '/etc/a b.pem' };
  expect(acmeSetup('dehydrated', facts).notes.join(' ')).toContain('no path with a space');
});

describe('names', () => {
  test.each([
    [null, 'www.example.com'],
    [{ names: ['*.a.test', 'b.test', 'c.test'] }, 'b.test'],
    [{ names: ['*.a.test'], suffixes: ['shop.test'] }, 'www.shop.test'],
    [{ names: ['*.a.test'] }, '*.a.test'],
    [{ names: [], suffixes: [] }, 'www.example.com'],
  ])('of a client with %j begin with %s', (names, first) => {
    expect(exampleNames(names)).toEqual([first]);
  });

  test.each([
    ['Web 7', 'certloop-web-7'],
    ['  --', 'certloop'],
    ['Büro: "x"', 'certloop-b-ro-x'],
    ['a'.repeat(60), `certloop-${'a'.repeat(40)}`],
  ])('of resources for a client %j are %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });
});
