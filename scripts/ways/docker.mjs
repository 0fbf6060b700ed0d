// Stands for docker: reads the compose files and runs what they describe in containers of container.mjs. Not there:
// building images, limits of memory, restarts, and networks that cannot reach each other.
import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import {
  answers,
  execute,
  isAlive,
  listens,
  postgresAnswers,
  postgresContainer,
  project,
  readContainers,
  runContainer,
  startContainer,
  state,
  stopContainer,
} from './container.mjs';

/** The text with the values of variables, the innermost first. */
function interpolated(text) {
  const next = text.replace(
    /\$\{(\w+)(?::-([^${}]*))?\}/g,
    (_, name, otherwise = '') => process.env[name] || otherwise,
  );
  return next === text ? text : interpolated(next);
}

const reset = { tag: '!reset', collection: 'seq', resolve: () => ({ isReset: true }) };

const byName = (networks) =>
  Array.isArray(networks) ? Object.fromEntries(networks.map((name) => [name, {}])) : networks;

function merged(base = {}, over = {}) {
  const all = { ...base, ...over };
  for (const key of ['environment', 'depends_on']) all[key] = { ...base[key], ...over[key] };
  all.networks =
    base.networks || over.networks ? { ...byName(base.networks), ...byName(over.networks) } : undefined;
  all.volumes = [...(base.volumes ?? []), ...(over.volumes ?? [])];
  all.ports = over.ports?.isReset ? [] : [...(base.ports ?? []), ...(over.ports ?? [])];
  return all;
}

function readServices(file) {
  const text = interpolated(readFileSync(file, 'utf8'));
  const { services } = parse(text, { merge: true, customTags: [reset], logLevel: 'silent' });
  for (const [name, service] of Object.entries(services)) {
    const { extends: base, ...own } = service;
    if (base === undefined) continue;
    services[name] = merged(readServices(join(dirname(file), base.file))[base.service], own);
  }
  return services;
}

const prefixes = { default: '172.30.0', ca: '172.30.1', front: '172.31.255' };

/** Containers of the files by service. */
function plan(files) {
  let services = {};
  for (const file of files) {
    const read = readServices(join(project, file));
    const names = new Set([...Object.keys(services), ...Object.keys(read)]);
    services = Object.fromEntries([...names].map((name) => [name, merged(services[name], read[name])]));
  }
  const list = Object.entries(services).map(([service, described], index) => {
    const networks = described.network_mode === 'none' ? {} : (described.networks ?? { default: {} });
    const replicas = Array.from({ length: described.deploy?.replicas ?? 1 }, (_, replica) => {
      const addresses = Object.entries(networks).map(
        ([network, { ipv4_address: fixed } = {}]) =>
          fixed ?? `${prefixes[network]}.${130 + index * 4 + replica}`,
      );
      return { name: `${service}-${replica + 1}`, addresses };
    });
    return { service, described, networks: Object.keys(networks), replicas };
  });
  return { list, hostsOf: (own) => list.flatMap((other) => hostLines(own, other)) };
}

function hostLines(own, { service, replicas }) {
  const prefix = own.networks.map((network) => `${prefixes[network]}.`);
  return replicas.flatMap(({ addresses }) =>
    addresses
      .filter((one) => prefix.some((start) => one.startsWith(start)))
      .map((one) => `${one} ${service}`),
  );
}

function mountOf(volume, uid) {
  const [from, to, mode] = volume.split(':');
  const isReadOnly = mode === 'ro';
  if (from.startsWith('.')) return { from: join(project, 'docker', from), to, isFile: true, isReadOnly };
  const folder = join(state, 'volumes', from);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    // a new volume has the owner that the image gives the folder
    chownSync(folder, uid, uid);
  }
  return { from: folder, to, isReadOnly };
}

function environmentOf({ environment = {} }) {
  const entries = Object.entries(environment).map(([name, value]) => [name, value ?? process.env[name]]);
  return Object.fromEntries(
    entries.filter(([, value]) => value !== undefined).map(([k, v]) => [k, String(v)]),
  );
}

const imageCommand = ['node', '--enable-source-maps', 'dist/src/main.js'];

function containerOf({ hostsOf }, entry, { name, addresses }) {
  const { service, described } = entry;
  const { image, command, entrypoint, read_only: isReadOnly } = described;
  const isOwn = image.startsWith('certloop/');
  const uid = isOwn ? 1000 : 0;
  const common = {
    name,
    service,
    addresses,
    uid,
    hosts: hostsOf(entry),
    env: { NODE_ENV: isOwn ? 'production' : undefined, ...environmentOf(described) },
    mounts: described.volumes.map((volume) => mountOf(volume, uid)),
  };
  if (image.startsWith('nginx')) return { ...common, ...balancerOf(entry, common.hosts) };
  if (image.startsWith('postgres:') && entrypoint === undefined) return postgresContainer(common);
  if (!isOwn) return { ...common, cwd: '/', command: entrypoint, env: { ...common.env, PATH: psqlPath() } };
  const app = image.slice('certloop/'.length);
  return {
    ...common,
    isReadOnly,
    ...(app === 'secrets' ? { cwd: '/' } : { app }),
    command: command ?? imageCommand,
  };
}

const psqlPath = () => {
  const found = ['18', '17', '16', '15', '14', '13'].map((version) => `/usr/lib/postgresql/${version}/bin`);
  return [...found.filter(existsSync), '/image/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(':');
};

/** nginx is a relay that sets the same headers, to the replicas that balancer.conf names. */
function balancerOf(_entry, hosts) {
  const conf = readFileSync(join(project, 'docker/balancer.conf'), 'utf8');
  const servers = [...conf.matchAll(/listen (\d+);\s*set \$replicas ([\w-]+);[\s\S]*?:(\d+);/g)];
  const lines = servers.map(([, port, service, to]) => {
    const targets = hosts
      .filter((line) => line.endsWith(` ${service}`))
      .map((line) => `${line.split(' ')[0]}:${to}`);
    return `node /relay.mjs 0.0.0.0 ${port} ${targets.join(' ')} --http &`;
  });
  const relay = join(project, 'scripts/ways/relay.mjs');
  return {
    ports: servers.map(([, port]) => port),
    uid: 10101,
    cwd: '/',
    command: ['bash', '-c', `trap 'exit 0' TERM\n${lines.join('\n')}\nwait`],
    mounts: [{ from: relay, to: '/relay.mjs', isFile: true, isReadOnly: true }],
  };
}

async function isHealthy(container) {
  const { env, addresses, ports = [] } = container;
  if (env.HEALTH_URL !== undefined) {
    const { port, pathname } = new URL(env.HEALTH_URL);
    await answers(`http://${addresses[0]}:${port}${pathname}`, container);
  }
  if (env.POSTGRES_USER !== undefined) await postgresAnswers(addresses[0], env.POSTGRES_USER);
  for (const port of ports) await listens(port, addresses[0]);
}

const done = new Set();

async function up(all, entry) {
  const { service, described, replicas } = entry;
  if (done.has(service)) return;
  done.add(service);
  for (const needed of Object.keys(described.depends_on)) {
    const other = all.list.find((one) => one.service === needed);
    await up(all, other);
    const { condition } = described.depends_on[needed];
    if (condition !== 'service_completed_successfully') await healthy(other);
  }
  for (const replica of replicas) {
    const container = containerOf(all, entry, replica);
    if (isJob(all, service)) {
      const code = await runContainer(container, ['ignore', 2, 2]);
      if (code !== 0) throw new Error(`the job ${service} ended with ${code}`);
      continue;
    }
    const running = readContainers()[replica.name];
    if (running !== undefined && isAlive(running)) continue;
    startContainer(container);
    publish(described.ports, replica.addresses[0]);
  }
}

const isJob = ({ list }, service) =>
  list.some(({ described }) => described.depends_on[service]?.condition === 'service_completed_successfully');

const healthy = ({ replicas }) => Promise.all(replicas.map(({ name }) => isHealthy(readContainers()[name])));

function placeOf(port) {
  const [host, outside, inside] = port.split(':');
  return { host, outside: Number(outside), inside };
}

function publish(ports, address) {
  for (const { host, outside, inside } of ports.map(placeOf)) {
    const words = [join(project, 'scripts/ways/relay.mjs'), host, outside, `${address}:${inside}`];
    spawn(process.execPath, words.map(String), { stdio: 'ignore', detached: true }).unref();
  }
}

const running = (service) =>
  Object.values(readContainers()).filter((container) => container.service === service && isAlive(container));

const commands = {
  async up(all) {
    for (const entry of all.list) await up(all, entry);
    for (const entry of all.list) if (!isJob(all, entry.service)) await healthy(entry);
    for (const { host, outside } of all.list.flatMap(({ described }) => described.ports.map(placeOf)))
      await listens(outside, host);
    return 0;
  },
  async run(all, words) {
    const [service, ...command] = words.filter((word) => !['--rm', '-T', '--no-deps'].includes(word));
    const entry = all.list.find((one) => one.service === service);
    const container = containerOf(all, entry, { name: `${service}-run`, addresses: [] });
    return runContainer(command.length === 0 ? container : { ...container, command });
  },
  async exec(_all, words) {
    const [service, ...command] = words.filter((word) => word !== '-T');
    return execute(running(service)[0], command);
  },
  async ps(_all, words) {
    console.log(
      running(words.at(-1))
        .map(({ name }) => name)
        .join('\n'),
    );
    return 0;
  },
  async restart(all) {
    for (const entry of all.list.filter(({ service }) => !isJob(all, service))) {
      for (const replica of entry.replicas) {
        await stopContainer(readContainers()[replica.name]);
        startContainer(containerOf(all, entry, replica));
      }
      await healthy(entry);
    }
    return 0;
  },
};

const words = process.argv.slice(2);
if (words[0] === 'exec') process.exitCode = execute(readContainers()[words[1]], words.slice(2));
else {
  const files = words.flatMap((word, index) => (words[index - 1] === '-f' ? [word] : []));
  const [command, ...rest] = words.slice(1 + 2 * files.length);
  process.exitCode = await commands[command](plan(files), rest);
}
