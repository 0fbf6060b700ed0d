import type { PublicReadiness } from '@certloop/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCertloop, serve } from '../../certloop.fixture.js';

const names = ['a', 'b', 'c', 'd'].map((label) => ({
  fqdnId: '00000000-0000-4000-8000-000000000001',
  spaceId: '00000000-0000-4000-8000-000000000002',
  fqdn: `${label}.certloop.dev`,
}));
const quiet: PublicReadiness = {
  on: '2027-03-15',
  dates: [],
  rules: [
    {
      code: 'public_100_days',
      from: '2027-03-15',
      subject: 'public_cas',
      rule: 'Certificates last for at most 100 days',
      source: 'https://ca.example.org/rules',
      checkedOn: '2026-11-28',
      certainty: 'decided',
      judged: true,
    },
  ],
  certificates: { total: 5, public: 4 },
  breaks: [],
  handwork: {
    names: 1,
    minutesPerRenewal: 30,
    renewalsPerMonth: 0.5,
    hoursPerMonth: 0.3,
    hoursPerMonthToday: 0.1,
    reasons: [{ code: 'renewal_off', count: 1, names: names.slice(0, 1), action: 'Switch renewal on.' }],
  },
  renewedElsewhere: 0,
  capacity: { names: 4, renewalsPerDay: 0.1, renewalsPerDayToday: 0.1 },
  computedAt: '2026-11-28T12:00:00.000Z',
};
const broken: PublicReadiness = {
  ...quiet,
  breaks: [
    { code: 'lifetime_too_long', rule: 'public_100_days', count: 4, names, action: 'Renew automatically.' },
  ],
};

let server: Awaited<ReturnType<typeof serve>>;
let answer = quiet;
beforeAll(async () => {
  server = await serve(() => ({ status: 200, body: answer }));
});
afterAll(() => server.close());

const certloop = (args: readonly string[]) =>
  runCertloop(['readiness', ...args], {
    env: { HOME: '/nonexistent', CERTLOOP_URL: server.url, CERTLOOP_TOKEN: 'clt_known' },
  });

test.each([
  ['something breaks, with --exit-code', broken, ['--exit-code'], 1],
  ['something breaks', broken, [], 0],
  ['there is only work by hand, with --exit-code', quiet, ['--exit-code'], 0],
])('exit code if %s', async (_, body, args, code) => {
  answer = body;
  expect(await certloop(args)).toMatchObject({ code });
});

test('lists what breaks with some names, and the work by hand', async () => {
  answer = broken;
  const { out, err } = await certloop(['--on', '2027-03-15']);
  expect(out).toMatch(/^NAMES +CODE +RULE +SINCE +FOR\n/);
  expect(out).toContain('2027-03-15');
  expect(out).toContain('a.certloop.dev, b.certloop.dev, c.certloop.dev, and 1 more');
  expect(out).toMatch(/^1 +renewal_off +handwork +.*a\.certloop\.dev$/m);
  expect(err).toContain('on 2027-03-15: certificates of public CAs: 4 of 5');
  expect(err).toContain('1, 0.3 h a month (today 0.1 h)');
  expect((await certloop(['-o', 'wide'])).out).toContain('Renew automatically.');
});
