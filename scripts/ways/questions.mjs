// The questions that every way to run CertLoop answers in the same way: by HTTP, and by the commands of its page.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createCertManagerClient } from '../../packages/contracts/dist/src/index.js';
import {
  addFqdn,
  awaitHeartbeat,
  clientsOf,
  judgeCertificate,
  makeCsr,
  makeSpace,
  signCsr,
  uploadCsr,
} from '../../packages/e2e/dist/src/main-job.js';
import { project } from './container.mjs';

const names = 50;
const spoofed = '198.51.100.7';
const hookPort = 8080;

const statusOf = async (url, init) => {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
};
const jsonOf = async (url, init) => (await fetch(url, init)).json();

async function until(ask) {
  for (;;) {
    const found = await ask();
    if (found) return found;
    await pause(200);
  }
}

/** Signs in as a browser does; the token and the clients of an administrator. */
async function signIn(way) {
  const { username, password, readWriteKey, canaryKey } = await way.credentials();
  const client = createCertManagerClient({ baseUrl: way.urls.manager });
  const origin = { origin: way.origin, 'x-forwarded-for': spoofed };
  const login = await client.login({ body: { username, password }, headers: origin });
  const cookie = login.headers['set-cookie'].split(';')[0];
  const headers = { ...origin, cookie, 'x-csrf-token': login.body.csrfToken };
  const { token } = (await client.createApiToken({ headers, body: { name: 'questions', scope: 'ADMIN' } }))
    .body;
  const [certManager, checkMonitor, dummyCa] = [
    { url: way.urls.manager, token },
    { url: way.urls.monitor, readWriteKey },
    { url: way.urls.ca },
  ];
  return { clients: clientsOf({ certManager, checkMonitor, dummyCa }), canaryKey, status: login.status };
}

/** Receives alerts at an address of the internet. */
function receiveAlerts() {
  const bodies = [];
  createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      bodies.push(body);
      response.end('{}');
    });
  }).listen(hookPort);
  return bodies;
}

const digests = (way) =>
  way.secrets().map((file) => {
    const content = readFileSync(resolve(project, file), 'utf8');
    // of npm start: the token and the addresses may change
    const stable = file.endsWith('.json') ? JSON.stringify(JSON.parse(content).checkMonitor) : content;
    return `${file} ${createHash('sha256').update(stable).digest('hex')}`;
  });

const checksOf = (way, key, query) =>
  jsonOf(`${way.urls.monitor}/api/v3/checks/?${query}`, { headers: { 'X-Api-Key': key } });

/** Everything that the questions share. */
export async function prepare(way) {
  const { clients, canaryKey, status } = await signIn(way);
  const bodies = receiveAlerts();
  if (way.caUrl !== undefined) {
    const [{ id }] = (await clients.manager.listProviders()).body.filter(({ name }) => name === 'dummy-ca');
    const config = { baseUrl: way.caUrl, allowPrivateNetwork: true };
    await clients.manager.setProviderConfig({ params: { id }, body: { config } });
    await clients.manager.setProviderEnabled({ params: { id }, body: { enabled: true } });
  }
  return { way, clients, canaryKey, bodies, status, before: digests(way) };
}

const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** Lines of the logs that are no JSON, but for what npm and the shell say, and those that contain a secret. */
function faultyLines(way) {
  const secrets = way
    .secrets()
    .filter((file) => !file.endsWith('.json'))
    .map((file) => readFileSync(resolve(project, file), 'utf8').trim().replace(/^\w+:/, ''))
    .filter((secret) => secret.length > 15);
  return way.logs().flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.filter((line) => !isJson(line) || secrets.some((secret) => line.includes(secret)));
  });
}

function isJson(line) {
  // the set-up token is printed once
  if (/^cert-manager: no administrator yet: |is new$/.test(line)) return true;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

export const questions = [
  {
    question: 'do the services say that they are alive and ready?',
    answer: [200, 200, 200, 200, 200],
    ask: ({ way: { urls } }) =>
      Promise.all(
        [
          `${urls.manager}/health/live`,
          `${urls.manager}/health/ready`,
          `${urls.monitor}/health/live`,
          `${urls.monitor}/health/ready`,
          `${urls.ca}/health`,
        ].map((url) => statusOf(url)),
      ),
  },
  {
    question: 'which version do they show?',
    answer: [version, version, version],
    ask: async ({ way: { urls } }) => {
      const places = [`${urls.manager}/health`, `${urls.monitor}/health/live`, `${urls.ca}/health`];
      return (await Promise.all(places.map((url) => jsonOf(url)))).map((body) => body.version);
    },
  },
  { question: 'can the administrator sign in?', answer: 200, ask: async ({ status }) => status },
  {
    question: 'can someone else set up an administrator?',
    answer: false,
    ask: async ({ way }) => {
      const body = JSON.stringify({
        token: 'x'.repeat(43),
        username: 'eve',
        email: 'e@example.org',
        password: 'nine green bottles',
      });
      const headers = { 'content-type': 'application/json', origin: way.origin };
      return (await statusOf(`${way.urls.manager}/auth/bootstrap`, { method: 'POST', headers, body })) < 400;
    },
  },
  {
    question: 'who is refused without signing in?',
    answer: [401, 401],
    ask: ({ way: { urls } }) =>
      Promise.all([statusOf(`${urls.manager}/spaces`), statusOf(`${urls.monitor}/api/v3/checks/`)]),
  },
  {
    question: 'do only trusted proxies name the address of a client?',
    answer: true,
    ask: async ({ way, clients }) => {
      const { body } = await clients.manager.listAuditLogs();
      const addresses = JSON.stringify(body);
      return addresses.includes('auth.login') && addresses.includes(spoofed) === way.isProxy;
    },
  },
  {
    question: 'is the check of the renewal queue up?',
    answer: 'up',
    ask: async ({ clients }) => (await awaitHeartbeat(clients, 600_000)).status,
  },
  {
    question: 'has each of fifty names a check?',
    answer: names,
    ask: async ({ clients }) => {
      const space = await makeSpace(clients, 'fifty');
      for (let n = 0; n < names; n += 1) {
        const fqdn = await addFqdn(clients, space.id, `n${n}.example.test`);
        const params = { spaceId: space.id, fqdnId: fqdn.id };
        await clients.manager.setRenewalEnabled({ params, body: { renewalEnabled: true } });
      }
      const listed = async () =>
        (await clients.monitor.listChecks({ query: { tag: 'certificate' } })).body.checks.length;
      await until(async () => (await listed()) === names);
      return listed();
    },
  },
  {
    question: 'how many checks may the account of the service have?',
    answer: [1_000_000],
    ask: async ({ way }) =>
      JSON.parse(await way.monitor('user list --json')).map(({ checkLimit }) => checkLimit),
  },
  {
    question: 'is the canary in a project of its own?',
    answer: [1, 0],
    ask: async ({ way, canaryKey, clients }) => {
      const own = () => checksOf(way, canaryKey, 'slug=certloop-canary');
      await until(async () => (await own()).checks?.length > 0);
      const other = await clients.monitor.listChecks({ query: { slug: 'certloop-canary' } });
      return [(await own()).checks.length, other.body.checks.length];
    },
  },
  {
    question: 'does dummy-ca issue a certificate, and is it the right one?',
    answer: ['www.example.test'],
    ask: async (place) => {
      const { clients } = place;
      const csrPem = await makeCsr('www.example.test');
      const space = await makeSpace(clients, 'issued');
      const fqdn = await addFqdn(clients, space.id, 'www.example.test');
      const at = { spaceId: space.id, fqdnId: fqdn.id };
      await uploadCsr(clients, at, fqdn.fqdn, csrPem);
      const { pem } = await signCsr(clients, at);
      place.issued = at;
      return (await judgeCertificate(clients, pem, csrPem)).dnsNames;
    },
  },
  {
    question: 'can its renewal be switched on, and is it watched then?',
    answer: names + 1,
    ask: async ({ clients, issued: params }) => {
      await clients.manager.setRenewalEnabled({ params, body: { renewalEnabled: true } });
      const listed = async () =>
        (await clients.monitor.listChecks({ query: { tag: 'certificate' } })).body.checks.length;
      await until(async () => (await listed()) === names + 1);
      return listed();
    },
  },
  {
    question: 'does an alert arrive at a webhook?',
    answer: true,
    ask: async ({ way, clients, bodies }) => {
      const hook = `http://9.9.9.9:${hookPort}/hook`;
      await way.monitor(`channel create --project CertLoop --kind webhook --name Hook --url ${hook}`);
      const { body } = await clients.monitor.createCheck({
        body: { name: 'job-of-the-questions', channels: '*' },
      });
      const path = new URL(body.ping_url).pathname;
      for (const end of ['', '/fail']) await statusOf(`${way.urls.monitor}${path}${end}`, { method: 'POST' });
      return until(() => bodies.some((text) => text.includes('job-of-the-questions')));
    },
  },
  {
    question: 'do ping addresses begin with the public address?',
    answer: true,
    ask: async ({ way, clients }) => {
      const { checks } = (await clients.monitor.listChecks()).body;
      return checks.every(({ ping_url: url }) => url.startsWith(`${way.siteRoot}/ping/`));
    },
  },
  {
    question: 'which metrics are open to strangers?',
    answer: [404, 404, 404],
    ask: ({ way: { urls } }) => Promise.all(Object.values(urls).map((url) => statusOf(`${url}/metrics`))),
  },
  {
    question: 'do encryption keys encrypt secrets?',
    answer: [true, true],
    ask: async ({ way, clients }) => {
      const eab = { kid: 'k', hmacKey: Buffer.alloc(32, 7).toString('base64url') };
      const directoryUrl = 'https://acme.example.org/directory';
      const config = { directoryUrl, termsOfServiceAgreed: true, eab };
      const { body } = await clients.manager.createProvider({
        body: { kind: 'acme', name: 'sealed', config },
      });
      const monitor = JSON.parse(await way.monitor('keys rotate --json'));
      return [JSON.stringify(body).includes('********'), monitor.activeKey.startsWith('secret-')];
    },
  },
  {
    question: 'which files with secrets may strangers read?',
    answer: [],
    ask: async ({ way }) =>
      way.secrets().filter((file) => (statSync(resolve(project, file)).mode & 0o007) !== 0),
  },
  {
    question: 'what do the commands that migrate find to do?',
    answer: [[], 'the database is up to date'],
    ask: async ({ way }) => [
      JSON.parse(await way.monitor('migrate --json')).migrations,
      (await way.manager('migrate')).trim(),
    ],
  },
  {
    question: 'which secrets does a second start change?',
    answer: [],
    ask: async ({ way, before }) => {
      await way.again();
      return digests(way).filter((digest) => !before.includes(digest));
    },
  },
  {
    question: 'is everything there after it?',
    answer: { status: 200, fqdns: names, checks: names + 1, canaries: 1 },
    ask: async ({ way }) => {
      const { clients, canaryKey, status } = await signIn(way);
      const spaces = (await clients.manager.listSpaces()).body;
      const { id } = spaces.find(({ name }) => name === 'fifty');
      const fqdns = (await clients.manager.listFqdns({ params: { id }, query: { limit: 100 } })).body.length;
      const checks = (await clients.monitor.listChecks({ query: { tag: 'certificate' } })).body.checks.length;
      const canaries = (await checksOf(way, canaryKey, 'slug=certloop-canary')).checks.length;
      return { status, fqdns, checks, canaries };
    },
  },
  {
    question: 'which lines of the logs are no JSON or contain a secret?',
    answer: [],
    ask: async ({ way }) => faultyLines(way).slice(0, 5),
  },
];
