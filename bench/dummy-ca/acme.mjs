// node bench/dummy-ca/acme.mjs: complete issuances by ACME on this machine, from newOrder over http-01 to the download. The
// client's own work (keys, signatures, its web server) is in the rate, and left out of the server's CPU time.
import { parseArgs } from 'node:util';
import { measureOwnAcme } from './acme-issuing.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, clients: { type: 'string', default: '16' } },
});
const { perSecond, cpuMs } = await measureOwnAcme({
  seconds: Number(values.seconds),
  count: Number(values.clients),
});
process.stdout.write(
  `ACME, http-01: ${perSecond.toFixed(0)} issuances/s, ${cpuMs.toFixed(1)} ms of the server's CPU each\n`,
);
