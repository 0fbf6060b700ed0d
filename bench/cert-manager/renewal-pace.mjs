// 500 renewals that are due at once by a CA that takes 5 orders a minute, simulated by the rules of the service: before
// (each entry by its own delays) and after (a pace for each provider). Build first: npm run build.
import { simulatePace } from '../../apps/cert-manager/dist/test/renewals/run-renewals/pace-simulation.js';

const day = 86_400_000;
const cases = [
  ['24 h', day, 1 / 2],
  ['6 d', 6 * day, 1 / 2],
  ['47 d', 47 * day, 1 / 3],
];
console.log('| Lifetime | Processes | Retry-After | Pace | Expired | Refused calls | All renewed after |');
console.log('|---|---|---|---|---|---|---|');
for (const [name, lifetimeMs, share] of cases) {
  for (const processes of [1, 2]) {
    for (const saysWhen of [true, false]) {
      for (const isUnpaced of [true, false]) {
        const leftMs = [lifetimeMs * share * 0.95, lifetimeMs * share * 1.05];
        const given = {
          names: 500,
          perMinute: 5,
          lifetimeMs,
          leftMs,
          processes,
          saysWhen,
          seed: 1,
          isUnpaced,
        };
        const { expired, refused, seconds } = simulatePace(given);
        const row = [name, processes, saysWhen ? 'yes' : 'no', isUnpaced ? 'no' : 'yes', expired, refused];
        console.log(`| ${row.join(' | ')} | ${(seconds / 3600).toFixed(1)} h |`);
      }
    }
  }
}
