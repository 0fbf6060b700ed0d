// Pages of an audit log of a million entries, each with its exact total.
import { settle } from '../databases.mjs';
import { alone } from '../measuring/measure.mjs';
import { copyId } from '../multiply.mjs';
import { asAdministrator } from './manager-place.mjs';
import { seedAudit, seedFqdns } from './manager-seed.mjs';

const count = 1_000_000;

export async function measureAudit(place) {
  const { spaceId } = await seedFqdns(place, { kind: '0000000d', count: 1 });
  await seedAudit(place, { count, spaceId });
  await settle(place);
  const rows = [];
  for (const [page, query] of pages(spaceId)) {
    const ask = asAdministrator(place, `/audit-logs?${query}`);
    const what = `audit page of ${count.toLocaleString('en')}: ${page}`;
    rows.push(await alone({ what, target: '50 ms', pid: place.manager.pid, ask }));
  }
  return rows;
}

const monthMs = 30 * 86_400_000;

function pages(spaceId) {
  const from = new Date(Date.now() - 3 * monthMs).toISOString();
  const to = new Date(Date.now() - 2 * monthMs).toISOString();
  return [
    ['first', ''],
    ['deep, by after', `after=${count / 2}`],
    ['deep, by offset', `offset=${count / 2}`],
    ['action, 60 %', 'action=certificate.renew'],
    ['action, 1 %', 'action=access.denied'],
    ['action by its beginning', 'action=csr.*'],
    ['space', `spaceId=${spaceId}`],
    ['user', `userId=${copyId('00000003', 7)}`],
    ['user name', 'username=user-7'],
    ['resource', `resourceId=${copyId('00000001', 7)}`],
    ['type of resource', 'resourceType=fqdn'],
    ['outcome, 1 %', 'outcome=failure'],
    ['outcome, 98 %', 'outcome=success'],
    ['a month', `from=${from}&to=${to}`],
    ['address range', 'ipAddress=10.0.1.0/28'],
    ['text in the details', 'q=host-777777.'],
  ];
}
