import { describe, expect, test } from 'vitest';
import { misspeltSettings, readCertManagerConfig } from '../../src/config.js';

const read = (environment: Record<string, string>) => () => readCertManagerConfig(environment);

test('listens on this machine only, with sign-in, if nothing is set', () => {
  expect(readCertManagerConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: 'sqlite:./data/cert-manager.sqlite',
    authMode: 'required',
    auditDelete: 'allow',
    setupTokenPath: 'data/setup-token',
    trustedProxies: [],
  });
});

test.each([
  ['sqlite:/var/lib/certs/manager.sqlite', '/var/lib/certs/setup-token'],
  ['postgres://localhost/certs', 'data/setup-token'],
])('the setup token is written next to %s', (url, path) => {
  expect(readCertManagerConfig({ CERT_MANAGER_DATABASE_URL: url }).setupTokenPath).toBe(path);
});

describe('open mode is refused', () => {
  test.each([
    ['in production', { NODE_ENV: 'production' }, 'with NODE_ENV=production'],
    ['on all addresses', { CERT_MANAGER_HOST: '0.0.0.0' }, 'on an address others reach'],
    ['on all IPv6 addresses', { CERT_MANAGER_HOST: '::' }, 'on an address others reach'],
    ['on a name that may be anything', { CERT_MANAGER_HOST: 'manager' }, 'on an address others reach'],
  ])('%s', (_, environment, reason) => {
    expect(read({ AUTH_MODE: 'open', ...environment })).toThrow(reason);
    expect(read({ AUTH_MODE: 'open', AUTH_OPEN_I_UNDERSTAND: 'yes', ...environment })).not.toThrow();
  });

  test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('not on %s', (host) => {
    expect(read({ AUTH_MODE: 'open', CERT_MANAGER_HOST: host })).not.toThrow();
  });
});

describe('https', () => {
  const files = { TLS_CERT_FILE: '/tls/cert.pem', TLS_KEY_FILE: '/tls/key.pem' };
  const issued = { CERT_MANAGER_HTTPS_NAMES: 'localhost ::1', DUMMY_CA_URL: 'http://127.0.0.1:3002' };

  test.each([
    ['files', files],
    ['a certificate of dummy-ca', issued],
    ['files before a certificate of dummy-ca', { ...files, CERT_MANAGER_HTTPS_NAMES: 'localhost' }],
  ])('is served with %s', (_, environment) => {
    expect(read({ CERT_MANAGER_HTTPS_PORT: '3444', ...environment })).not.toThrow();
  });

  test.each([
    [
      'no certificate',
      {},
      /CERT_MANAGER_HTTPS_PORT: needs a certificate: set TLS_CERT_FILE and TLS_KEY_FILE$/,
    ],
    ['one file', { TLS_CERT_FILE: '/tls/cert.pem' }, /TLS_CERT_FILE and TLS_KEY_FILE belong together/],
    ['names without a CA', { CERT_MANAGER_HTTPS_NAMES: 'localhost' }, /NAMES: needs DUMMY_CA_URL/],
  ])('is refused with %s', (_, environment, reason) => {
    expect(read({ CERT_MANAGER_HTTPS_PORT: '3444', ...environment })).toThrow(reason);
  });
});

test('every fault is reported at once, none with its value', () => {
  const start = read({
    CERT_MANAGER_PORT: '70000',
    AUTH_MODE: 'closed',
    ENCRYPTION_KEYS: 'hunter2',
    CERT_MANAGER_TRUSTED_PROXIES: '10.0.0.0/8, proxy',
    AUTH_OPEN_I_UNDERSTAND: 'true',
  });
  for (const name of [
    'CERT_MANAGER_PORT',
    'AUTH_MODE',
    'ENCRYPTION_KEYS',
    'CERT_MANAGER_TRUSTED_PROXIES',
    'AUTH_OPEN_I_UNDERSTAND',
  ]) {
    expect(start).toThrow(name);
  }
  expect(start).not.toThrow('hunter2');
});

test.each(['DUMMY_CA_URL', 'ACME_DIRECTORY_URL'])('%s at a port that no client calls is refused', (name) => {
  expect(read({ [name]: 'http://127.0.0.1:6000/x' })).toThrow(/must not have port 6000/);
  expect(read({ [name]: 'http://127.0.0.1:6001/x' })).not.toThrow();
});

test('an incomplete administrator is rejected', () => {
  expect(read({ BOOTSTRAP_ADMIN_USERNAME: 'ada' })).toThrow('all three, or none');
});

test.each([
  [
    'half a mail server',
    { NOTICE_SMTP_URL: 'smtp://mail.test' },
    'NOTICE_MAIL_TO are needed all three, or none',
  ],
  ['a webhook without its secret', { NOTICE_WEBHOOK_URL: 'https://x.test' }, 'set both or neither'],
  ['an invalid secret', { NOTICE_WEBHOOK_SECRET: 'hunter2' }, 'NOTICE_WEBHOOK_SECRET: must be one secret'],
  [
    'a user name in the webhook',
    { NOTICE_WEBHOOK_URL: 'https://a:hunter2@x.test' },
    'must not hold a user name',
  ],
])('refuses %s', (_situation, environment, reason) => {
  expect(read(environment)).toThrow(reason);
  expect(read(environment)).not.toThrow('hunter2');
});

test('misspelt variables are reported', () => {
  expect(
    misspeltSettings({ CERT_MANAGER_PROT: '1', CERT_MANAGER_PORT: '1', CERT_MANAGER_SETUP_TOKEN_FILE: 'x' }),
  ).toEqual(['CERT_MANAGER_PROT']);
});
