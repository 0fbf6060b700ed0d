// Says whether a composed stack closes its loop: node docker/smoke.mjs, once it is up. The compose files are
// those of COMPOSE_ARGS, "-f docker/compose.yaml" when absent.
import { execFileSync } from 'node:child_process';
import { get } from 'node:https';

const files = (process.env.COMPOSE_ARGS ?? '-f docker/compose.yaml').split(' ').filter(Boolean);
const compose = (...words) =>
  execFileSync('docker', ['compose', ...files, ...words], { encoding: 'utf8' }).trim();
const read = (service, file) =>
  compose('exec', '-T', service, 'node', '-p', `require('fs').readFileSync('${file}','utf8')`);

async function call(url, init) {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return { response, body: JSON.parse(text) };
}

function say(what, seen) {
  process.stdout.write(`ok  ${what}: ${seen}\n`);
}

const manager = `http://127.0.0.1:${process.env.CERT_MANAGER_PORT ?? 3000}`;
const monitor = `http://127.0.0.1:${process.env.CHECK_MONITOR_PORT ?? 3001}`;
const username = process.env.BOOTSTRAP_ADMIN_USERNAME ?? 'admin';
const password = read('cert-manager', '/secrets/admin-password');
const key = read('cert-manager', '/secrets/monitor-read-write-key');

const { response, body: login } = await call(`${manager}/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username, password }),
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

const ca = await (await fetch(`http://127.0.0.1:${process.env.DUMMY_CA_PORT ?? 3002}/root`)).text();
// of several managers, none has a port of its own
const isScaled = files.some((file) => file.endsWith('compose.scale.yaml'));
for (const [who, address] of [
  ['the CA', `https://localhost:${process.env.DUMMY_CA_HTTPS_PORT ?? 3443}/acme/directory`],
  ...(isScaled
    ? []
    : [['the manager', `https://localhost:${process.env.CERT_MANAGER_HTTPS_PORT ?? 3444}/health`]]),
]) {
  const status = await new Promise((resolve, reject) => {
    get(address, { ca }, (answer) => resolve(answer.resume().statusCode)).once('error', reject);
  });
  if (status !== 200) throw new Error(`${address} answered ${status}`);
  say(`${who} answers by https under the root of the CA`, status);
}

for (let attempt = 0; ; attempt += 1) {
  const checks = `${monitor}/api/v3/checks/?slug=certloop-cert-manager`;
  const [check] = (await call(checks, { headers: { 'x-api-key': key } })).body.checks;
  if (check?.status === 'up') {
    say('the heartbeat check is up', `${check.n_pings} pings`);
    break;
  }
  if (attempt === 300) throw new Error('the heartbeat check did not go up');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

const anonymous = (await fetch(`${manager}/spaces`)).status;
const isOpen = response.headers.get('x-auth-mode') === 'open';
if (anonymous !== (isOpen ? 200 : 401)) throw new Error(`without signing in: ${anonymous}`);
say(isOpen ? 'everybody is let in' : 'strangers are refused', anonymous);

// What one replica knows, the others know: each is asked from inside, past the balancer.
const replicas = compose('ps', '-q', 'cert-manager').split('\n');
const ask =
  "fetch('http://127.0.0.1:3000/auth/me', { headers: { cookie: process.argv[1] } }).then(async (r) => console.log(r.status))";
for (const id of replicas) {
  const status = execFileSync('docker', ['exec', id, 'node', '-e', ask, cookie], { encoding: 'utf8' }).trim();
  if (status !== '200') throw new Error(`the session is not known to replica ${id}: ${status}`);
}
say('the session holds on every replica', replicas.length);
