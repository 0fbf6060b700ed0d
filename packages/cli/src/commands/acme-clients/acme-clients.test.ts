import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Received, runCertloop, serve } from '../../certloop.fixture.js';

const spaceId = '00000000-0000-4000-8000-000000000001';
const space = { id: spaceId, name: 'Shop', description: '', createdAt: '2026-11-01T00:00:00.000Z' };
const providerId = '00000000-0000-4000-8000-000000000009';

const client = {
  id: '00000000-0000-4000-8000-000000000002',
  spaceId,
  name: 'web-7',
  kid: 'kid-1',
  directoryUrl: 'https://certs.test/acme/directory',
  state: 'active',
  names: { names: [], suffixes: ['shop.test'], wildcards: false, cidrs: [] },
  providerId: null,
  createFqdns: true,
  mayTakeOver: false,
  allowedCidrs: [],
  expiresAt: null,
  maxOrdersPerDay: 300,
  maxAccounts: 100,
  createdBy: { userId: spaceId, username: 'ada' },
  createdAt: '2026-11-01T00:00:00.000Z',
  changedAt: '2026-11-01T00:00:00.000Z',
  keyChangedAt: '2026-11-01T00:00:00.000Z',
  use: {
    accountCount: 1,
    accounts: [
      {
        status: 'valid',
        thumbprint: 't',
        contacts: [],
        createdAt: '2026-11-02T00:00:00.000Z',
        lastSeenAt: '2026-11-03T00:00:00.000Z',
        userAgent: 'CertbotACMEClient/2.1.0 (certbot)',
        ipAddress: '10.0.0.7',
      },
    ],
    lastSeenAt: '2026-11-03T00:00:00.000Z',
    fqdnCount: 1,
    fqdns: [{ id: spaceId, fqdn: 'www.shop.test' }],
    lastOrder: { names: ['www.shop.test'], state: 'valid', createdAt: '2026-11-03T00:00:00.000Z' },
  },
};

const withKey = {
  ...client,
  hmacKey: 'c2VjcmV0',
  warnings: [{ code: 'no_public_url', message: 'the address follows the request' }],
};

const fqdn = { id: providerId, spaceId, fqdn: 'www.shop.test', renewalEnabled: true };
const lineage = {
  lineage: 'a'.repeat(64),
  state: 'late',
  message: 'Client web-7 (certbot 2.1, last seen 3 October from 10.0.0.7) has not renewed www.shop.test.',
  client: { id: client.id, name: 'web-7' },
  agent: 'certbot 2.1',
  userAgent: 'CertBot/2.1.0',
  lastSeenAt: '2026-10-03T00:00:00.000Z',
  lastSeenFrom: '10.0.0.7',
  names: ['www.shop.test'],
  certificate: {
    id: spaceId,
    serialNumber: '01',
    notBefore: '2026-09-02T00:00:00.000Z',
    expiresAt: '2026-12-01T00:00:00.000Z',
  },
  expectedAt: '2026-11-01T00:00:00.000Z',
  attentionAt: '2026-11-02T00:00:00.000Z',
};
const lineages = [
  lineage,
  { ...lineage, lineage: 'b'.repeat(64), state: 'expected', lastSeenFrom: '10.0.0.8' },
];

/** A cert-manager with one space and one ACME client. */
function answerTo({ method, path }: Received): Answer {
  const clients = `/spaces/${spaceId}/acme-clients`;
  if (path === '/spaces') return { status: 200, body: [space] };
  if (path === '/providers') return { status: 200, body: [{ id: providerId, name: 'acme', kind: 'acme' }] };
  if (path === '/fqdns') return { status: 200, body: [fqdn] };
  const machines = `/spaces/${spaceId}/fqdns/${fqdn.id}/acme-lineages`;
  if (path === machines) return { status: 200, body: lineages };
  if (path === `${machines}/${lineage.lineage}/release`)
    return {
      status: 200,
      body: { ...lineage, state: 'released', message: 'No further certificate is expected.' },
    };
  if (path === clients)
    return method === 'GET' ? { status: 200, body: [client] } : { status: 201, body: withKey };
  if (path === `${clients}/${client.id}/key`) return { status: 200, body: withKey };
  if (path !== `${clients}/${client.id}`) return { status: 404, body: { message: `no ${path}` } };
  return { status: 200, body: method === 'DELETE' ? { message: 'deleted' } : client };
}

let service: Awaited<ReturnType<typeof serve>>;
beforeEach(async () => {
  service = await serve(answerTo);
});
afterEach(() => service.close());

const certloop = (...args: readonly string[]) =>
  runCertloop(['acme-clients', ...args], { env: { CERTLOOP_URL: service.url, CERTLOOP_TOKEN: 'token' } });
const changes = () => service.received.filter(({ method }) => method !== 'GET');

test('lists who was seen when', async () => {
  const { out } = await certloop('list', '-s', 'Shop', '-o', 'csv');
  const [, row] = out.split('\r\n');
  expect(row).toBe(
    `web-7,active,2026-11-03T00:00:00.000Z,CertbotACMEClient/2.1.0,10.0.0.7,1,"valid, www.shop.test",${client.id}`,
  );
});

test('lists which machines renew a host name', async () => {
  const { out } = await certloop('lineages', 'www.shop.test', '-o', 'csv');
  const [, row] = out.split('\r\n');
  expect(row).toMatch(/^web-7,certbot 2\.1,10\.0\.0\.7,2026-10-03T00:00:00\.000Z,late,2026-11-01/);
});

test('reports that a machine is gone, by its address or its identifier', async () => {
  for (const machine of ['10.0.0.7', 'aaaaaaaa']) {
    const { out } = await certloop('release', 'www.shop.test', machine, '--yes');
    expect(out).toContain('No further certificate is expected.');
  }
  expect(changes().map(({ path }) => path.split('/').slice(-2))).toEqual([
    ['a'.repeat(64), 'release'],
    ['a'.repeat(64), 'release'],
  ]);
  // two machines have the same client
  const { err, code } = await certloop('release', 'www.shop.test', 'web-7', '--yes');
  expect([code, changes()]).toMatchObject([expect.any(Number), { length: 2 }]);
  expect(err).toContain('web-7');
});

test('shows what a client may do, and its machines', async () => {
  const { out } = await certloop('get', 'web-7', '-s', 'Shop');
  expect(out).toContain('shop.test and below');
  expect(out).toContain('CertbotACMEClient/2.1.0 (certbot) from 10.0.0.7');
});

describe('create', () => {
  test('sends what the options say, and shows the key with the warnings', async () => {
    const said = await certloop(
      ...['create', 'web-8', '-s', 'Shop', '--suffix', 'shop.test', '--wildcards', '--take-over', 'on'],
      ...['--from', '10.0.0.0/8', '--provider', 'acme', '--max-orders', '50'],
    );
    expect(changes()).toMatchObject([
      {
        method: 'POST',
        body: {
          name: 'web-8',
          names: { names: [], suffixes: ['shop.test'], wildcards: true, cidrs: [] },
          mayTakeOver: true,
          allowedCidrs: ['10.0.0.0/8'],
          providerId,
          maxOrdersPerDay: 50,
        },
      },
    ]);
    expect(said.out).toContain('c2VjcmV0');
    expect(said.err).toBe('certloop: the address follows the request\n');
  });

  test('prints commands for the client that -o names', async () => {
    const names = ['--cert-name', 'www.shop.test', '--reload', 'systemctl reload apache2'];
    const args = ['create', 'web-8', '-s', 'Shop', '--policy-names', ...names, '--ca', '/etc/ssl/root.pem'];
    const { out } = await certloop(...args, '-o', 'certbot');
    expect(out).toContain('REQUESTS_CA_BUNDLE=/etc/ssl/root.pem certbot certonly');
    expect(out).toContain('--server https://certs.test/acme/directory');
    expect(out).toContain('--eab-kid=kid-1 --eab-hmac-key=c2VjcmV0');
    expect(out).toContain("-d www.shop.test \\\n  --deploy-hook 'systemctl reload apache2'");
    expect(changes()).toMatchObject([{ body: { names: null } }]);
  });

  test('creates no second one of a name with --if-not-exists, and has no commands without its key', async () => {
    const args = ['create', 'web-7', '-s', 'Shop', '--if-not-exists'];
    expect(await certloop(...args)).toMatchObject({ code: 0 });
    const { code, err } = await certloop(...args, '-o', 'lego');
    expect([code, err]).toEqual([2, expect.stringContaining('acme-clients rekey creates a new one')]);
    expect(changes()).toEqual([]);
  });

  test.each([
    [['--policy-names', '--suffix', 'a.test'], '--policy-names cannot be combined'],
    [['--reload', 'a\nb', '-o', 'certbot'], '--reload: it is a command of one line'],
    [['--cert-name', 'a b', '-o', 'lego'], '--cert-name: it "a b" is not a host name'],
    [['--ca', "/o'x", '-o', 'lego'], '--ca: it is an absolute path'],
    [['--max-orders', '0'], '--max-orders takes a whole number'],
  ])('refuses %j before anything is created', async (options, reason) => {
    const { code, err } = await certloop('create', 'web-8', '-s', 'Shop', ...options);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
    expect(changes()).toEqual([]);
  });
});

test('refuses the output of commands where no key is shown', async () => {
  const { code, err } = await certloop('list', '-s', 'Shop', '-o', 'k8s');
  expect([code, err]).toEqual([2, 'certloop: -o k8s is for acme-clients create and acme-clients rekey\n']);
  expect(service.received).toEqual([]);
});

describe('update', () => {
  test('changes only what is named', async () => {
    await certloop('update', 'web-7', '-s', 'Shop', '--any-provider', '--from-anywhere', '--never-expires');
    expect(changes()).toMatchObject([
      { method: 'PUT', body: { providerId: null, allowedCidrs: [], expiresAt: null } },
    ]);
  });

  test.each([
    [[], 'name what is to change'],
    [['--from', '10.0.0.0/8', '--from-anywhere'], '--from and --from-anywhere cannot be combined'],
  ])('refuses %j', async (options, reason) => {
    const { code, err } = await certloop('update', 'web-7', '-s', 'Shop', ...options);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
    expect(changes()).toEqual([]);
  });
});

test.each([
  [['rekey', 'web-7'], 'the key of web-7 would end at once', 'POST'],
  [['delete', 'web-7'], '1 account ends, and their machines can no longer renew', 'DELETE'],
])('%j asks before anything ends', async ([command = '', named = ''], loss, method) => {
  const args = [command, named, '-s', 'Shop'];
  const { code, err } = await certloop(...args);
  expect([code, err]).toEqual([2, expect.stringContaining(loss)]);
  expect(changes()).toEqual([]);
  expect(await certloop(...args, '--yes')).toMatchObject({ code: 0 });
  expect(changes()).toMatchObject([{ method }]);
});
