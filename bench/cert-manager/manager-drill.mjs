// Suite `drill`: 10,000 renewals through the dummy CA, from due to stored, on both databases.
import { setTimeout as pause } from 'node:timers/promises';
import { measureOnEach, settle } from '../databases.mjs';
import { cpuSeconds } from '../measuring/cpu-time.mjs';
import { withManager } from './manager-place.mjs';
import { seedCertificates, seedOwnCsrs } from './manager-seed.mjs';

const kind = '0000000f';
export const drill = {
  name: 'drill',
  run: ({ renewals, dialects }) =>
    measureOnEach(dialects, (database) => withManager(database, (place) => renewAll(place, renewals))),
};

async function renewAll(place, count) {
  const { client, manager, ca } = place;
  await seedCertificates(place, { kind, count: count + 1 });
  await seedOwnCsrs(place, { kind, count });
  await settle(place);
  const before = [manager, ca].map(({ pid }) => cpuSeconds(pid));
  const start = performance.now();
  await place.runSql(
    `update renewal_queue set scheduled_at = created_at where cast(id as text) like '${kind}-%'`,
  );
  await client.triggerRenewals();
  await allSettled(place);
  const seconds = (performance.now() - start) / 1e3;
  const [managerMs, caMs] = [manager, ca].map(
    ({ pid }, place) => ((cpuSeconds(pid) - before[place]) * 1e3) / count,
  );
  const renewed = await countRows(place, "renewal_queue where status = 'completed'");
  return [
    {
      what: `${count.toLocaleString('en')} renewals, CA ${caMs.toFixed(2)} ms of CPU each`,
      figure: `${seconds.toFixed(1)} s`,
      target: '120 s',
      perSecond: count / seconds,
      cpuMs: managerMs,
      refused: count - renewed,
    },
  ];
}

/** Resolves when no renewal is left that is due or under way. */
async function allSettled(place) {
  const open = `renewal_queue where cast(id as text) like '${kind}-%' and status in ('pending', 'processing')`;
  while ((await countRows(place, open)) > 0) await pause(500);
}

async function countRows({ database }, from) {
  const [{ count: rows }] = await database.read((tx) => tx.query(`select count(*) as count from ${from}`));
  return Number(rows);
}
