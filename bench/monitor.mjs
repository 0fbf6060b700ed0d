// Suite `monitor`: the check monitor on both databases.
import { onEachDatabase } from './databases.mjs';
import { alone } from './measure.mjs';
import { seedChecks, withMonitor } from './monitor-place.mjs';
import { measureTick } from './monitor-tick.mjs';
import { askedInTurn } from './wrk.mjs';

// the last one stops the monitor
const parts = [measurePings, measureLists, measureTick];

export const monitor = {
  name: 'monitor',
  run: ({ seconds, dialects }) =>
    onEachDatabase(dialects, (database) =>
      withMonitor(database, async (place) => {
        const rows = [];
        for (const part of parts) rows.push(...(await part(place, { seconds })));
        return rows.map((row) => ({ ...row, what: `${database.dialect}: ${row.what}` }));
      }),
    ),
};

const pingTargets = { sqlite: '10,000/s', postgres: '8,000/s' };

async function measurePings(place, { seconds }) {
  const { uuids } = await seedChecks(place, { kind: '0000001a', count: 1_000 });
  const { url, pid } = place.monitor;
  const paths = uuids.map((uuid) => `/ping/${uuid}`);
  const target = pingTargets[place.dialect];
  const what = 'GET /ping, 1,000 checks';
  return [await askedInTurn({ what, target, pid, url, paths, folder: place.folder, seconds })];
}

async function measureLists(place) {
  const { keys } = await seedChecks(place, { kind: '0000001b', count: 10_000 });
  const { url, pid } = place.monitor;
  const listedBy = (what, key) => {
    const ask = { url: `${url}/api/v3/checks/`, headers: { 'x-api-key': key } };
    return alone({ what: `list 10,000 checks, ${what}`, target: '150 ms', pid, ask });
  };
  return [
    await listedBy('read-write key', keys.readWriteKey),
    await listedBy('read-only key', keys.readOnlyKey),
  ];
}
