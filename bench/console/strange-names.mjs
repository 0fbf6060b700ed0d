// The longest and strangest names that the services take: 253 octets, right-to-left, emoji, other scripts.
import { randomUUID } from 'node:crypto';
import { users } from '../../apps/cert-manager/dist/src/users/users.repository.js';
import { multiply } from '../multiply.mjs';

const label = 'a'.repeat(62);
/** 253 octets. */
const nameOf253 = `${[label, label, label].join('.')}.${'b'.repeat(48)}.example.test`.slice(-253);
const rtl = 'شهادات الفريق العربي الكبير';
const emoji = '🔐 Team 👩🏽‍🚀 Café “naïve” – Zürich';
const long =
  'The space of the platform team for everything that is neither a service nor a customer, '.repeat(3);

/** Puts them into a cert-manager: spaces, names, users up to `count`, and groups. */
export async function addStrangeNames({ client, dialect, runSql }, count) {
  const { body: strange } = await client.createSpace({ body: { name: emoji, description: long.trim() } });
  await client.createSpace({ body: { name: rtl, description: rtl } });
  await client.createSpace({ body: { name: long.slice(0, 100).trim() } });
  const fqdns = [];
  for (const fqdn of [nameOf253, 'مثال.إختبار', 'bücher-für-zürich.example', '*.例え.テスト', '👻.example']) {
    const added = await client
      .createFqdn({ params: { id: strange.id }, body: { fqdn, description: `${rtl} ${emoji}` } })
      .catch((error) => process.stderr.write(`  ${fqdn.slice(0, 20)}: ${error.message}\n`));
    if (added?.body !== undefined) fqdns.push(added.body);
  }
  const { body: user } = await client.createUser({
    body: {
      username: `first.last.of-the-longest-name-that-is-possible.${'x'.repeat(16)}`,
      email: `${'very-long-local-part-of-an-address'.repeat(2).slice(0, 64)}@${'department.'.repeat(12)}example.test`,
      password: 'figures of a bench',
    },
  });
  const number = Math.min(count, 5_000);
  const copy = multiply(dialect, users, {
    where: `t.id = '${user.id}'`,
    count: number,
    change: ({ uuid }) => ({
      id: uuid('0000002e', 'n.i'),
      username: "'user-' || n.i",
      usernameKey: "'user-' || n.i",
      email: "'user-' || n.i || '@example.test'",
      emailKey: "'user-' || n.i || '@example.test'",
    }),
  });
  await runSql(copy);
  const { body: group } = await client.createPermissionGroup({
    body: {
      name: emoji,
      description: long.trim(),
      permission: 'READ',
      allSpaces: false,
      spaceIds: [strange.id],
      userIds: [user.id],
    },
  });
  await client.createPermissionGroup({
    body: {
      name: rtl,
      description: rtl,
      permission: 'FULL_ACCESS',
      allSpaces: true,
      spaceIds: [],
      userIds: [],
    },
  });
  return { strange, longest: fqdns[0], group, user };
}

/** Puts them into a project of a check-monitor, by the session of `state`; returns the uuid of the strangest check. */
export async function addStrangeChecks(browser, { state, url, projectId }) {
  const context = await browser.newContext({ storageState: state });
  const { request } = context;
  const me = await (await request.get(`${url}/api/account/me`)).json();
  const headers = { 'x-csrf-token': me.csrfToken, origin: url };
  const post = async (path, data) => {
    const response = await request.post(`${url}/api/account/projects/${projectId}${path}`, { headers, data });
    if (!response.ok()) process.stderr.write(`  ${path}: ${response.status()} ${await response.text()}\n`);
    return response.ok() ? response.json() : undefined;
  };
  const tags = 'prod eu-central-1 ordinateur-très-long-étiquette-de-la-production فريق 🚀';
  const check = await post('/v3/checks/', {
    name: `${emoji} ${nameOf253.slice(0, 60)}`,
    tags,
    desc: long,
    schedule: '*/5 3 * * 1-5',
    tz: 'America/Argentina/ComodRivadavia',
    grace: 31_536_000,
  });
  await post('/v3/checks/', { name: rtl, tags: 'فريق', timeout: 60 });
  await post('/v3/checks/', { name: long.slice(0, 100), tags: 'x'.repeat(60) });
  await post('/v3/checks/', {});
  for (const [kind, name, settings] of [
    [
      'webhook',
      `${emoji} ${'w'.repeat(60)}`,
      { down: { url: `https://hooks.example.test/${'path/'.repeat(30)}` } },
    ],
    ['email', rtl, { address: `${'on-call-'.repeat(6)}@${'department.'.repeat(8)}example.test` }],
  ])
    await post('/channels', { kind, name, settings });
  const uuid = check?.uuid ?? check?.ping_url?.split('/').at(-1) ?? randomUUID();
  await request.post(`${url}/ping/${uuid}/fail`, { data: `${rtl} ${emoji}` });
  await context.close();
  return uuid;
}
