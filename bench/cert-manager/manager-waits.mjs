// How long others wait while the manager reads or deletes very many rows: the longest answer of GET /health/live.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../measuring/measure.mjs';
import { asAdministrator } from './manager-place.mjs';
import { seedAudit, seedCertificates } from './manager-seed.mjs';

const count = 50_000;
const entries = 300_000;

/** Empties the audit log at its end. */
export async function measureWaits(place) {
  const { spaceId } = await seedCertificates(place, { kind: '0000000f', count });
  await seedAudit(place, { count: entries, spaceId });
  const poller = fork(new URL('waits.mjs', import.meta.url));
  poller.send({ url: `${place.manager.url}/health/live` });
  const next = async () => {
    poller.send('next');
    const [{ maxMs }] = await once(poller, 'message');
    return maxMs;
  };
  const rows = [];
  const agent = new Agent({ keepAlive: true });
  for (const [what, work] of works(place, spaceId)) {
    await sleep(300);
    await next();
    const start = performance.now();
    const answers = await Promise.all(work.map((ask) => exchange(agent, ask)));
    const took = performance.now() - start;
    const maxMs = await next();
    const refused = answers.filter(({ status }) => status >= 300).length;
    const row = { what: `others wait during ${what}`, figure: `${maxMs.toFixed(0)} ms`, target: '50 ms' };
    process.stderr.write(`  ${row.what}: ${row.figure}, it took ${took.toFixed(0)} ms, ${refused} refused\n`);
    rows.push({ ...row, p99: maxMs, aloneMs: took, refused });
  }
  agent.destroy();
  poller.disconnect();
  poller.kill();
  return rows;
}

function works(place, spaceId) {
  const ask = (method, path) => ({ ...asAdministrator(place, path), method });
  const times = (n, one) => Array.from({ length: n }, () => one);
  const name = (text) =>
    `${text} (${count.toLocaleString('en')} FQDNs, ${entries.toLocaleString('en')} audit entries)`;
  return [
    [name('nothing'), [ask('GET', '/health')]],
    ['an export of the audit log', [ask('GET', '/audit-logs/export')]],
    ['20 searches for a text at once', times(20, ask('GET', '/audit-logs?q=zzzz'))],
    ['10 lists of all FQDNs at once', times(10, ask('GET', `/spaces/${spaceId}/fqdns`))],
    ['a list of the whole queue', [ask('GET', '/renewal-queue')]],
    ['statistics in detail', [ask('GET', '/stats?detail=true')]],
    ['the deletion of all CSRs', [ask('DELETE', '/csrs?confirm=true')]],
    ['the deletion of all FQDNs of a space', [ask('DELETE', `/spaces/${spaceId}/fqdns`)]],
    ['the emptying of the audit log', [ask('DELETE', '/audit-logs')]],
  ];
}
