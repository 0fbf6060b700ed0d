import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dummy-ca-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('the configuration', () => {
  test('has a default for every setting', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3002,
      keyType: 'P-256',
      commonName: 'CertLoop Dummy CA Root',
      rootValidityDays: 36_525,
      rootKeyPem: undefined,
      rootCertificatePem: undefined,
      lint: undefined,
      keep: 100_000,
      keepMebibytes: 256,
      logLevel: 'info',
      unknownNames: [],
    });
  });

  test('reads the root from files', () => {
    const config = loadConfig({
      DUMMY_CA_ROOT_KEY_FILE: write('root.key', 'key\n'),
      DUMMY_CA_ROOT_CERTIFICATE_FILE: write('root.pem', 'certificate\n'),
    });
    expect(config).toMatchObject({ rootKeyPem: 'key', rootCertificatePem: 'certificate' });
  });

  test('reports variables that look like a setting of this service but are unknown', () => {
    const environment = { DUMMY_CA_KEYTYPE: 'x', DUMMY_CA_URL: 'x', DUMMY_CA_URL_FILE: 'x', DUMMY: 'x' };
    expect(loadConfig(environment).unknownNames).toEqual(['DUMMY_CA_KEYTYPE']);
  });

  test.each([
    ['DUMMY_CA_PORT', '70000'],
    ['DUMMY_CA_PORT', '-1'],
    ['DUMMY_CA_KEY_TYPE', 'RSA-1024'],
    ['DUMMY_CA_KEY_TYPE', 'p-256'],
    ['DUMMY_CA_COMMON_NAME', '   '],
    ['DUMMY_CA_COMMON_NAME', 'x'.repeat(65)],
    ['DUMMY_CA_ROOT_VALIDITY_DAYS', '1'],
    ['DUMMY_CA_ROOT_VALIDITY_DAYS', '36526'],
    ['DUMMY_CA_LINT', 'strict'],
    ['DUMMY_CA_KEEP', '0'],
    ['DUMMY_CA_KEEP_MIB', 'many'],
    ['DUMMY_CA_ROOT_KEY_FILE', '/no/such/file'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s of %s', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => loadConfig({ [name]: value })).toThrow(name);
  });

  test.each([
    ['DUMMY_CA_ROOT_KEY', 'DUMMY_CA_ROOT_CERTIFICATE_FILE'],
    ['DUMMY_CA_ROOT_CERTIFICATE', 'DUMMY_CA_ROOT_KEY_FILE'],
  ])('refuses a root without its %s', (missing, given) => {
    expect(() => loadConfig({ [given]: write('half.pem', 'x') })).toThrow(`${missing}: is missing`);
  });

  test('rejects an empty file instead of generating another root', () => {
    const empty = write('empty.pem', '');
    const files = { DUMMY_CA_ROOT_KEY_FILE: empty, DUMMY_CA_ROOT_CERTIFICATE_FILE: empty };
    expect(() => loadConfig(files)).toThrow(/ROOT_KEY: .* empty[\s\S]*ROOT_CERTIFICATE: .* empty/);
  });
});
