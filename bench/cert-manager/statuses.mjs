// Suite `statuses`: what the pages of the manager ask at 50,000 FQDNs, by their status, on both databases.

import { fqdnStatuses } from '../../apps/cert-manager/dist/src/statuses/statuses.repository.js';
import { measureOnEach, settle } from '../databases.mjs';
import { alone, once } from '../measuring/measure.mjs';
import { multiply } from '../multiply.mjs';
import { asAdministrator, withManager } from './manager-place.mjs';
import { seedCertificates } from './manager-seed.mjs';
import { measureObjects } from './statuses-objects.mjs';

const listed = { kind: '0000001a', count: 50_000 };
const changed = { kind: '0000001b', count: 5_000 };
const counted = { kind: '0000001c', count: 10_000 };

export const statuses = {
  name: 'statuses',
  isLong: true,
  run: ({ dialects }) => measureOnEach(dialects, (database) => withManager(database, measureStatuses)),
};

async function measureStatuses(place) {
  const { spaceId, first } = await seedCertificates(place, listed);
  await place.runSql(copyStatuses(place.dialect, first.id, listed));
  await settle(place);
  const { pid } = place.manager;
  const rows = [];
  for (const [what, target, path] of [
    ['100 by need, with status', '25 ms', '/fqdns?sort=attention&limit=100&include=status'],
    ['100 by expiry', '25 ms', '/fqdns?sort=expiresAt&limit=100'],
    ['100 that fail, with status', '25 ms', '/fqdns?state=failing&limit=100&include=status'],
    ['100 of a part of the name', '25 ms', '/fqdns?q=4711&limit=100&include=status'],
    ['100 of a space by renewal', '25 ms', `/spaces/${spaceId}/fqdns?sort=renewAt&limit=100`],
    ['counts by state', '20 ms', '/fqdns/counts'],
    ['counts of a part of the name', '20 ms', '/fqdns/counts?q=47'],
    ['one FQDN', '5 ms', `/spaces/${spaceId}/fqdns/${first.id}`],
    ['one space', '5 ms', `/spaces/${spaceId}`],
    ['100 spaces with counts', '30 ms', '/spaces?include=counts&limit=100'],
    ['providers with their use, cached for 10 s', '15 ms', '/providers?include=usage'],
    ['100 renewals with names', '25 ms', '/renewal-queue?include=fqdn&limit=100'],
    ['changes, no news', '3 ms', '/changes?since=999999999'],
    ['outlook', '50 ms', '/outlook'],
    ['expiry by week', '50 ms', '/stats/expiry?bucket=week'],
  ]) {
    rows.push(await alone({ what, target, pid, ask: asAdministrator(place, path) }));
  }
  rows.push(...(await measureObjects(place, { spaceId, first, ...listed })));
  return [...rows, ...(await measureInventory(place)), ...(await measureChanges(place))];
}

/** The inventory of a space, which is computed once a minute, its export, and a list of one owner of renewals. */
async function measureInventory(place) {
  const { spaceId, first } = await seedCertificates(place, counted);
  await place.runSql(copyStatuses(place.dialect, first.id, counted));
  await settle(place);
  const { pid } = place.manager;
  const rows = [];
  for (const [what, target, path] of [
    ['inventory of 10,000 names', '2 s', `/inventory?spaceId=${spaceId}`],
    ['the same as CSV', '5 s', `/inventory.csv?spaceId=${spaceId}`],
    ['100 that nothing renews', undefined, `/fqdns?spaceId=${spaceId}&renewedBy=none&limit=100`],
  ]) {
    rows.push(await once({ what, target, pid, ask: asAdministrator(place, path) }));
  }
  return rows;
}

/** Changes of 5,000 FQDNs by one call each. */
async function measureChanges(place) {
  const { spaceId, first } = await seedCertificates(place, changed);
  await place.runSql(copyStatuses(place.dialect, first.id, changed));
  await settle(place);
  const { pid } = place.manager;
  const { url, headers } = asAdministrator(place, '/fqdns/bulk');
  const rows = [];
  for (const [what, target, action] of [
    ['dry run for 5,000', undefined, { action: 'renewal-off', dryRun: true }],
    ['switch the renewal of 5,000 off', '5 s', { action: 'renewal-off' }],
    ['switch the renewal of 5,000 on', '5 s', { action: 'renewal-on' }],
    ['set the provider of 5,000', '5 s', { action: 'set-provider', providerId: place.providerId }],
  ]) {
    const body = JSON.stringify({ filter: { spaceId }, dryRun: false, ...action });
    const ask = { url, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    rows.push(await once({ what, target, pid, ask }));
  }
  return rows;
}

/** A tenth fails, some are late, the others renew in 40 days. */
export function copyStatuses(dialect, first, { kind, count }) {
  const now = Math.floor(Date.now() / 1000);
  const isFailing = 'n.i % 10 = 0';
  const change = ({ uuid, instant }) => ({
    id: uuid(kind, 'n.i'),
    fqdn: "'host-' || n.i || '.example.test'",
    certificateId: uuid(kind, 'n.i'),
    renewAt: instant(`${now + 40 * 86_400} + n.i * 0.001`),
    expiresAt: instant(`${now + 60 * 86_400} + n.i * 60`),
    attentionAt: instant(
      `case when ${isFailing} then ${now} - n.i when n.i % 50 = 1 then ${now} - 60 else ${now + 41 * 86_400} + n.i end`,
    ),
    problem: `case when ${isFailing} then 'renewal' end`,
    problemAt: `case when ${isFailing} then ${instant(`${now} - n.i`)} end`,
    problemReason: `case when ${isFailing} then 'the CA is away' end`,
  });
  return multiply(dialect, fqdnStatuses, { where: `t.id = '${first}'`, count: count - 1, change });
}
