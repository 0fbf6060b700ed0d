// Lists of FQDNs, whole as documented.

import { alone, underLoad } from '../measuring/measure.mjs';
import { asAdministrator } from './manager-place.mjs';
import { seedFqdns } from './manager-seed.mjs';

const lists = [
  { kind: '0000000b', count: 1_000, target: '30 ms' },
  { kind: '0000000c', count: 10_000, target: '200 ms' },
];

export async function measureLists(place, { seconds }) {
  const { pid } = place.manager;
  const rows = [];
  for (const { kind, count, target } of lists) {
    const { spaceId } = await seedFqdns(place, { kind, count });
    const ask = asAdministrator(place, `/spaces/${spaceId}/fqdns`);
    const what = `list ${count.toLocaleString('en')} FQDNs`;
    rows.push(await alone({ what, target, pid, ask }));
    if (count === 1_000) rows.push(await underLoad({ what: `${what}, 16 callers`, pid, load: ask, seconds }));
  }
  return rows;
}
