import { randomUUID } from 'node:crypto';
import type { FqdnChange } from '@certloop/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Received, runCertloop, serve } from '../../certloop.fixture.js';

const space = { id: randomUUID(), name: 'Shop', description: '', createdAt: '2026-01-02T03:04:05.000Z' };
const provider = { id: randomUUID(), name: 'staging', kind: 'dummy-ca', enabled: true };

const newFqdn = (fqdn: string) => ({
  id: randomUUID(),
  spaceId: space.id,
  fqdn,
  description: '',
  renewalEnabled: false,
  createdAt: '2026-01-02T03:04:05.000Z',
});

let fqdns: (ReturnType<typeof newFqdn> & { providerId?: string; owner?: string; tags?: string[] })[];
/** Names that the service skips, with the reason. */
let skipped: Map<string, string>;
/** Responses to the next changes instead, each once. */
let faults: (Answer | undefined)[];
let service: Awaited<ReturnType<typeof serve>>;

/** cert-manager as far as these commands call it. */
function answer({ method, path, query, body }: Received): Answer {
  if (path === '/spaces') return { status: 200, body: [space] };
  if (path === '/providers') return { status: 200, body: [provider] };
  if (path === '/fqdns' && method === 'GET')
    return { status: 200, body: fqdns.filter(({ fqdn }) => fqdn.includes(query.get('q') ?? '')) };
  if (path === '/fqdns/bulk') return faults.shift() ?? { status: 200, body: change(body as FqdnChange) };
  return { status: 404, body: { error: 'not_found', message: `no ${method} ${path}` } };
}

function change({ ids = [], action, providerId, owner, tags, dryRun }: FqdnChange) {
  const named = fqdns.filter(({ id }) => ids.includes(id));
  const refused = named.filter(({ fqdn }) => skipped.has(fqdn));
  const changing = named.filter((fqdn) => !refused.includes(fqdn));
  for (const fqdn of dryRun ? [] : changing) {
    if (action === 'set-provider') Object.assign(fqdn, { providerId });
    else if (action === 'set-owner') Object.assign(fqdn, { owner });
    else if (action === 'add-tags')
      Object.assign(fqdn, { tags: [...(fqdn.tags ?? []), ...(tags ?? [])].sort() });
    else if (action === 'remove-tags') delete fqdn.tags;
    else fqdn.renewalEnabled = action === 'renewal-on';
  }
  return {
    matched: named.length,
    changed: changing.length,
    unchanged: 0,
    skipped: refused.slice(0, 100).map(({ id, fqdn }) => ({ id, fqdn, reason: skipped.get(fqdn) })),
  };
}

beforeEach(async () => {
  fqdns = Array.from({ length: 300 }, (_, index) => newFqdn(`app${index}.example.test`));
  fqdns.push(newFqdn('www.example.test'));
  skipped = new Map();
  faults = [];
  service = await serve(answer);
});
afterEach(() => service.close());

const certloop = (...args: readonly string[]) =>
  runCertloop(args, { env: { CERTLOOP_URL: service.url, CERTLOOP_TOKEN: 'clt_1', HOME: '/nonexistent' } });

const changes = () => service.received.filter(({ path }) => path === '/fqdns/bulk').map(({ body }) => body);
const countOn = () => fqdns.filter(({ renewalEnabled }) => renewalEnabled).length;

describe('a change of 300 FQDNs', () => {
  test('takes three calls, and none where all are so already', async () => {
    const on = ['renewals', 'on', 'app*', '--space', 'Shop', '--exit-code'];
    expect(await certloop(...on)).toMatchObject({ code: 0, err: '' });
    expect(changes()).toHaveLength(3);
    expect(service.received.length).toBeLessThanOrEqual(6);
    expect(countOn()).toBe(300);
    const again = await certloop(...on);
    expect(again).toMatchObject({ code: 3, err: '' });
    expect(again.out.match(/unchanged/g)).toHaveLength(300);
    expect(changes()).toHaveLength(3);
  });

  test('is only shown with --dry-run', async () => {
    const { code, out } = await certloop('renewals', 'on', 'app*', 'www.example.test', '--dry-run');
    expect(code).toBe(0);
    expect(out.match(/would be on/g)).toHaveLength(301);
    expect(changes()).toMatchObject([{ dryRun: true }, { dryRun: true }, { dryRun: true }, { dryRun: true }]);
    expect(countOn()).toBe(0);
  });

  test('names each FQDN that the service skips on a separate line', async () => {
    // more than one answer lists
    const refused = fqdns.slice(20, 200);
    for (const { fqdn } of refused) skipped.set(fqdn, `${fqdn} belongs to others`);
    const { code, out, err } = await certloop('renewals', 'on', 'app*', '-s', 'Shop');
    expect(code).toBe(1);
    expect(err).toBe(
      `${refused.map(({ fqdn }) => `certloop: ${fqdn}: ${fqdn} belongs to others\n`).join('')}certloop: 180 of 300 failed\n`,
    );
    expect(out.match(/ failed +app/g)).toHaveLength(180);
    expect(countOn()).toBe(120);
  });

  test('asks again after an outage, and names those that it could not try', async () => {
    const away = { status: 503, body: { error: 'unavailable', message: 'the database is away' } };
    faults = [undefined, away, away];
    expect(await certloop('renewals', 'on', 'app*')).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^(certloop: .*the database is away.*; trying again\n){2}$/),
    });
    expect(countOn()).toBe(300);
    const ended = { status: 403, body: { error: 'forbidden', message: 'your rights ended' } };
    faults = [undefined, ended];
    const { code, err, out } = await certloop('renewals', 'off', 'app*', '--yes');
    expect(code).toBe(1);
    expect(err.match(/: your rights ended$/gm)).toHaveLength(100);
    expect(err).toMatch(/: not tried after this failure\ncertloop: 200 of 300 failed\n$/);
    expect(out.match(/ off\n/g)).toHaveLength(100);
    expect(countOn()).toBe(200);
    // the same command changes the rest
    expect(await certloop('renewals', 'off', 'app*', '-y')).toMatchObject({ code: 0 });
    expect(countOn()).toBe(0);
  });

  test('asks before it switches several off', async () => {
    for (const fqdn of fqdns) fqdn.renewalEnabled = true;
    expect(await certloop('renewals', 'off', 'app*')).toMatchObject({
      code: 2,
      err: 'certloop: renewal of 300 FQDNs would be switched off (--dry-run lists them); add --yes to do it\n',
    });
    expect(changes()).toEqual([]);
  });

  test('sets their owner and tags, one setting at a time', async () => {
    const update = ['fqdns', 'update', 'app*', '--exit-code'];
    expect((await certloop(...update, '--owner', 'Ada')).code).toBe(0);
    expect((await certloop(...update, '--owner', 'Ada')).code).toBe(3);
    expect((await certloop(...update, '--add-tag', 'shop', 'prod')).code).toBe(0);
    expect((await certloop(...update, '--add-tag', 'PROD')).code).toBe(3);
    expect(fqdns[0]).toMatchObject({ owner: 'Ada', tags: ['prod', 'shop'] });
    const shown = await certloop(...update, '--remove-tag', 'shop', 'prod', '--dry-run');
    expect(shown.out).toContain('would be without shop prod');
    expect((await certloop(...update, '--remove-tag', 'shop', 'prod')).code).toBe(0);
    expect(fqdns[0]).not.toHaveProperty('tags');
    expect(await certloop(...update, '--owner', 'Ada', '--add-tag', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('change one setting of several FQDNs at a time'),
    });
  });

  test('names their provider', async () => {
    const update = ['fqdns', 'update', 'app*', 'www.example.test', '--exit-code'];
    const named = await certloop(...update, '--provider', 'staging', '-o', 'json');
    expect(named).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(named.out)).toHaveLength(301);
    expect(changes()).toHaveLength(4);
    expect(fqdns.every(({ providerId }) => providerId === provider.id)).toBe(true);
    expect((await certloop(...update, '--provider', 'staging')).code).toBe(3);
    expect((await certloop(...update, '--no-provider', '--dry-run')).out).toContain(
      'would be without a provider',
    );
    expect(await certloop(...update, '--description', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--description belongs to one FQDN'),
    });
  });
});

test.each([
  ['app7.example.test', ['app7.example.test'], 'app7.example.test'],
  ['*7.example*', ['app7.example.test', 'app17.example.test'], '7.example'],
  ['*', ['app7.example.test', 'app17.example.test', 'www.example.test'], null],
])('%s is searched for by the service', async (pattern, found, q) => {
  fqdns = ['app7.example.test', 'app17.example.test', 'www.example.test'].map(newFqdn);
  const { out } = await certloop('renewals', 'on', pattern, '-o', 'name');
  expect(out.trim().split('\n')).toEqual(found);
  const [list] = service.received.filter(({ path }) => path === '/fqdns');
  expect(list?.query.get('q')).toBe(q);
});
