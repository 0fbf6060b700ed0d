// npm run bench: what the hot paths give on this machine, beside a bare server in the same run. It asserts
// nothing; figures of different runs compare by their ratio to the baseline only.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inheritedEnvironment } from '../packages/e2e/dist/src/config.js';
import { clientsOf, makeCsr } from '../packages/e2e/dist/src/main-job.js';
import { startStack } from '../packages/e2e/dist/src/stack.js';
import { cpuSeconds } from './cpu-time.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
const seconds = Number(values.seconds);

async function measure(name, pid, request) {
  const load = fork(new URL('load.mjs', import.meta.url));
  load.send({ seconds, ...request });
  await once(load, 'message');
  const before = cpuSeconds(pid);
  const [result] = await once(load, 'message');
  const cpu = cpuSeconds(pid) - before;
  return { name, ...result, cpuMicroseconds: (cpu * 1e6) / result.requests };
}

async function baseline() {
  const server = fork(new URL('baseline.mjs', import.meta.url));
  const [{ url }] = await once(server, 'message');
  const row = await measure('bare node:http (baseline)', server.pid, { url });
  server.disconnect();
  return row;
}

async function signing(stack) {
  const csr = Buffer.from(await makeCsr('bench.example.test')).toString('base64');
  return measure('dummy-ca POST /csr, P-256', stack.service('dummy-ca').pid, {
    url: `${stack.credentials.dummyCa.url}/csr`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csr, action: 'sign', validity_days: 365 }),
  });
}

async function pinging(stack) {
  const { monitor } = clientsOf(stack.credentials);
  const created = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => monitor.createCheck({ body: { name: `bench ${n}` } })),
  );
  return measure('check-monitor GET /ping, 1,000 checks', stack.service('check-monitor').pid, {
    url: stack.credentials.checkMonitor.url,
    requests: created.map(({ body }) => ({ path: new URL(body.ping_url).pathname })),
  });
}

async function listing(stack) {
  const { manager } = clientsOf(stack.credentials);
  const space = (await manager.createSpace({ body: { name: 'Bench' } })).body;
  for (let n = 0; n < 1_000; n += 50) {
    const batch = Array.from({ length: 50 }, (_, i) => ({ fqdn: `host-${n + i}.example.test` }));
    await Promise.all(batch.map((body) => manager.createFqdn({ params: { id: space.id }, body })));
  }
  return measure('cert-manager GET 1,000 FQDNs', stack.service('cert-manager').pid, {
    url: `${stack.credentials.certManager.url}/spaces/${space.id}/fqdns`,
    headers: { authorization: `Bearer ${stack.credentials.certManager.token}` },
  });
}

function print(rows) {
  const [{ perSecond: base }] = rows;
  const cells = rows.map((row) => [
    row.name,
    Math.round(row.perSecond).toLocaleString('en'),
    `${(row.perSecond / base).toFixed(3)}`,
    `${row.p50}`,
    `${row.p99}`,
    Number.isNaN(row.cpuMicroseconds) ? '-' : Math.round(row.cpuMicroseconds).toLocaleString('en'),
    `${row.refused}`,
  ]);
  const head = ['what', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU us/request', 'refused'];
  const table = [head, head.map(() => '---'), ...cells];
  process.stdout.write(`\n${table.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`);
}

const dataDir = mkdtempSync(join(tmpdir(), 'certloop-bench-'));
const ports = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
const environment = { ...inheritedEnvironment(), NODE_ENV: 'production', LOG_LEVEL: 'warn' };
const stack = await startStack({ dataDir, ports, environment });
try {
  print([await baseline(), await signing(stack), await pinging(stack), await listing(stack)]);
} finally {
  await stack.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
