// Says whether the composed stack closes its loop: node docker/smoke.mjs, once it is up.
import { execFileSync } from 'node:child_process';

const compose = [
  'compose',
  ...(process.env.CTR_COMPOSE_ARGS ?? '-f docker/compose.yaml').split(' ').filter(Boolean),
];
const read = (service, file) =>
  execFileSync(
    'docker',
    [...compose, 'exec', '-T', service, 'node', '-p', `require('fs').readFileSync('${file}','utf8')`],
    {
      encoding: 'utf8',
    },
  ).trim();

async function call(url, init) {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return { response, body: JSON.parse(text) };
}

function say(what, seen) {
  process.stdout.write(`ok  ${what}: ${seen}\n`);
}

const manager = 'http://127.0.0.1:3000';
const password = read('cert-manager', '/secrets/admin-password');
const key = read('cert-manager', '/secrets/monitor-read-write-key');

const { response, body: login } = await call(`${manager}/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username: 'admin', password }),
});
say('the administrator exists', login.user.username);
const cookie = response.headers.get('set-cookie').split(';')[0];

const { body: providers } = await call(`${manager}/providers`, { headers: { cookie } });
const provider = providers.find(({ name }) => name === 'dummy-ca');
const { body: tested } = await call(`${manager}/providers/${provider.id}/test`, {
  method: 'POST',
  headers: { cookie, 'x-csrf-token': login.csrfToken, origin: manager },
});
if (!tested.success) throw new Error(tested.message);
say('the manager knows the CA', tested.message);

for (let attempt = 0; ; attempt += 1) {
  const checks = 'http://127.0.0.1:3001/api/v3/checks/?slug=certloop-cert-manager';
  const [check] = (await call(checks, { headers: { 'x-api-key': key } })).body.checks;
  if (check?.status === 'up') {
    say('the heartbeat check is up', `${check.n_pings} pings`);
    break;
  }
  if (attempt === 90) throw new Error('the heartbeat check did not go up');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
