// Suites `monitor`, the check monitor on both databases, and `pings`, of it the pings alone.
import { measureOnEach } from '../databases.mjs';
import { alone } from '../measuring/measure.mjs';
import { measureBadges } from './monitor-badges.mjs';
import { measurePings } from './monitor-pings.mjs';
import { seedChecks, withMonitor } from './monitor-place.mjs';
import { measureTick } from './monitor-tick.mjs';

// the last one stops the monitor
const parts = [measurePings, measureLists, measureTick];

export const monitor = suiteOf('monitor', parts);
export const pings = { ...suiteOf('pings', [measurePings]), isLong: true };

function suiteOf(name, parts) {
  return {
    name,
    run: ({ seconds, dialects }) =>
      measureOnEach(dialects, (database) =>
        withMonitor(database, async (place) => {
          const rows = [];
          for (const part of parts) rows.push(...(await part(place, { seconds })));
          return rows;
        }),
      ),
  };
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
    ...(await measureBadges(place, { keys, count: 10_000 })),
  ];
}
