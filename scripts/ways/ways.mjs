// How each way to run CertLoop is set up by the commands of its page, and how its operator reads credentials.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, postgresAnswers, postgresContainer, project, startContainer, state } from './container.mjs';
import { begin, blocksOf, finish, printed, writeBlock } from './pages.mjs';

const local = {
  manager: 'http://127.0.0.1:3000',
  monitor: 'http://127.0.0.1:3001',
  ca: 'http://127.0.0.1:3002',
};
const read = (file) => readFileSync(join(project, file), 'utf8').trim();
const deploy = (title, count, language = 'sh') => blocksOf('docs/deploy.md', title, language, count);
const ready = (url) => answers(`${url}/health/ready`);
const caReady = () => answers(`${local.ca}/health`);
const volume = (name) => join(state, 'volumes', name);
const logsBelow = (folder) => readdirSync(folder).map((name) => join(folder, name));

/** The address to which a name of the public leads is the same as the one that is asked, unless a way says so. */
const common = { urls: local, origin: local.manager, siteRoot: local.monitor, isProxy: false };

function npmStart() {
  let terminal;
  let starts = 0;
  const up = async () => {
    const [start] = blocksOf('docs/first-certificate.md', '1. Start the stack', 'sh', 1);
    terminal = begin(start, 'npm-start');
    starts += 1;
    // the last line of the greeting
    await printed(terminal, 'Ctrl-C stops everything.', starts);
  };
  const variables = {
    manager:
      'CERT_MANAGER_DATABASE_URL=sqlite:data/cert-manager.sqlite ENCRYPTION_KEYS_FILE=data/secrets/encryption-keys node apps/cert-manager/dist/src/cli.js',
  };
  return {
    ...common,
    up,
    again: async () => {
      await terminal.stop();
      await up();
    },
    credentials: async () => {
      const { certManager, checkMonitor } = JSON.parse(read('data/credentials.json'));
      const { readWriteKey, canaryKey } = checkMonitor;
      return { username: certManager.username, password: certManager.password, readWriteKey, canaryKey };
    },
    monitor: (args) => finish(`npm run --silent monitor -- ${args}`),
    manager: (args) => finish(`${variables.manager} ${args}`),
    secrets: () => [
      'data/secrets/encryption-keys',
      'data/secrets/check-monitor-secret',
      'data/credentials.json',
    ],
    logs: () => logsBelow(join(project, 'data/logs')),
  };
}

function withoutContainers() {
  const [prepare, startMonitor, setUp, startCa, makeAdmin, startManager] = deploy('Without containers', 6);
  const files = ['encryption-keys', 'check-monitor-secret', 'monitor-read-write-key', 'monitor-canary-key'];
  const terminals = [];
  let password;
  const up = async () => {
    await finish(prepare);
    terminals.push(begin(startMonitor, 'check-monitor'));
    await ready(local.monitor);
    await finish(setUp);
    terminals.push(begin(startCa, 'dummy-ca'));
    if (password === undefined) [, password] = /password: (\S+)/.exec(await finish(makeAdmin));
    terminals.push(begin(startManager, 'cert-manager'));
    await Promise.all([ready(local.manager), caReady()]);
  };
  const settings = {
    monitor:
      'CHECK_MONITOR_DATABASE_URL=sqlite:run/check-monitor.sqlite CHECK_MONITOR_SECRET_FILE=run/check-monitor-secret',
    manager:
      'CERT_MANAGER_DATABASE_URL=sqlite:run/cert-manager.sqlite ENCRYPTION_KEYS_FILE=run/encryption-keys',
  };
  return {
    ...common,
    up,
    again: async () => {
      await Promise.all(terminals.splice(0).map(({ stop }) => stop()));
      await up();
    },
    credentials: async () => ({
      username: 'admin',
      password,
      readWriteKey: read('run/monitor-read-write-key'),
      canaryKey: read('run/monitor-canary-key'),
    }),
    monitor: (args) => finish(`${settings.monitor} node apps/check-monitor/dist/src/cli.js ${args}`),
    manager: (args) => finish(`${settings.manager} node apps/cert-manager/dist/src/cli.js ${args}`),
    secrets: () => files.map((name) => `run/${name}`),
    logs: () => logsBelow(join(state, 'log')),
  };
}

function compose(isScaled) {
  const [up, readPassword, , scale] = deploy('With containers', 4);
  const start = isScaled ? scale : up;
  const scaled = isScaled ? '-f docker/compose.scale.yaml ' : '';
  const command = `docker compose -f docker/compose.yaml ${scaled}`;
  const inService = (service) => (args) =>
    finish(`${command} exec -T ${service} node dist/src/cli.js ${args}`);
  return {
    ...common,
    up: () => finish(start),
    again: async () => {
      await finish(`${command} restart`);
      await finish(start);
    },
    credentials: async () => ({
      username: 'admin',
      password: (await finish(readPassword)).trim(),
      readWriteKey: await finish(`${command} exec -T cert-manager cat /secrets/monitor-read-write-key`),
      canaryKey: await finish(`${command} exec -T cert-manager cat /secrets/monitor-canary-key`),
    }),
    monitor: inService('check-monitor'),
    manager: inService('cert-manager'),
    secrets: () => readdirSync(volume('secrets')).map((name) => join(volume('secrets'), name)),
    logs: () => logsBelow(join(state, 'log')).filter((file) => !/postgres|balancer/.test(file)),
  };
}

function systemd() {
  const [startMonitor, startManager, startCa, makeAdmin] = deploy('systemd', 4);
  const folder = '/etc/certloop/secrets';
  let hasAdmin = false;
  const withVariables = (service) => (args) =>
    finish(`(set -a; . /etc/certloop/${service}.env; node apps/${service}/dist/src/cli.js ${args})`);
  const up = async () => {
    await finish(startMonitor);
    await ready(local.monitor);
    await finish(startManager);
    await ready(local.manager);
    await finish(startCa);
    await Promise.all([ready(local.manager), caReady()]);
    if (!hasAdmin) await finish(makeAdmin);
    hasAdmin = true;
  };
  return {
    ...common,
    origin: 'https://certs.example.org',
    siteRoot: 'https://checks.example.org',
    isProxy: true,
    up,
    again: async () => {
      await up();
      await finish('systemctl restart check-monitor');
      await ready(local.monitor);
    },
    credentials: async () => ({
      username: 'admin',
      password: 'nine green bottles',
      readWriteKey: readFileSync(`${folder}/monitor-read-write-key`, 'utf8'),
      canaryKey: readFileSync(`${folder}/monitor-canary-key`, 'utf8'),
    }),
    monitor: withVariables('check-monitor'),
    manager: withVariables('cert-manager'),
    secrets: () => readdirSync(folder).map((name) => join(folder, name)),
    logs: () => logsBelow(join(state, 'log')),
  };
}

/** The PostgreSQL that exists before, with the roles of docs/deploy.md#postgresql, and the CA of the network. */
async function preparePostgres() {
  const words = { postgres: 'w1', 'cert-manager-database': 'w2', 'check-monitor-database': 'w3' };
  const folder = join(state, 'words');
  mkdirSync(folder);
  mkdirSync(volume('postgres'), { recursive: true });
  for (const [name, word] of Object.entries(words)) writeFileSync(join(folder, `${name}-password`), word);
  startContainer(
    postgresContainer({
      name: 'postgres',
      addresses: ['172.30.0.9'],
      env: {
        POSTGRES_USER: 'certloop',
        POSTGRES_DB: 'postgres',
        POSTGRES_PASSWORD_FILE: '/words/postgres-password',
      },
      mounts: [
        { from: folder, to: '/words' },
        { from: volume('postgres'), to: '/var/lib/postgresql/data' },
      ],
    }),
  );
  await postgresAnswers('172.30.0.9', 'certloop');
  await finish(`PGHOST=172.30.0.9 bash docker/make-databases.sh ${folder}`);
  mkdirSync(join(project, 'run'), { recursive: true });
  const url = (role, word) => `postgres://${role}:${word}@172.30.0.9:5432/${role}`;
  writeFileSync(join(project, 'run/cert-manager-url'), url('cert_manager', 'w2'));
  writeFileSync(join(project, 'run/check-monitor-url'), url('check_monitor', 'w3'));
  begin('DUMMY_CA_HOST=0.0.0.0 DUMMY_CA_ADMIN=true node apps/dummy-ca/dist/src/main.js', 'dummy-ca');
  await caReady();
}

function kubernetes() {
  const [overlay] = deploy('Kubernetes', 1, 'yaml');
  const [apply, makeAdmin] = deploy('Kubernetes', 2);
  const inPod = (service) => (args) =>
    finish(`kubectl -n certloop exec deploy/${service} -- node dist/src/cli.js ${args}`);
  let password;
  return {
    ...common,
    urls: { manager: 'http://cert-manager:3000', monitor: 'http://check-monitor:3001', ca: local.ca },
    origin: 'https://certs.example.org',
    siteRoot: 'https://checks.example.org',
    caUrl: 'http://172.30.0.1:3002',
    up: async () => {
      await preparePostgres();
      writeBlock(overlay);
      await finish(apply);
      [, password] = /password: (\S+)/.exec(await finish(makeAdmin));
    },
    again: async () => {
      // the secrets and the keys again, then new pods
      await finish(apply.slice(0, apply.indexOf('kubectl create namespace')));
      await finish('kubectl -n certloop rollout restart deployment');
    },
    credentials: async () => ({
      username: 'admin',
      password,
      readWriteKey: read('run/monitor-read-write-key'),
      canaryKey: read('run/monitor-canary-key'),
    }),
    monitor: inPod('check-monitor'),
    manager: inPod('cert-manager'),
    secrets: () =>
      // tests leave folders there
      readdirSync(join(project, 'run'), { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('-url'))
        .map(({ name }) => `run/${name}`),
    logs: () => logsBelow(join(state, 'log')).filter((file) => !/postgres/.test(file)),
  };
}

/** Each way by its name. */
export const ways = {
  'npm start': npmStart,
  'without containers': withoutContainers,
  compose: () => compose(false),
  'scaled compose': () => compose(true),
  systemd,
  kubernetes,
};
