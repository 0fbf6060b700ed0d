// Stands for kubectl and its cluster: applies a kustomization, and runs two pods of each Deployment, as the autoscaler
// does, in containers of container.mjs. Not there: limits, policies of the network, rolling updates, and registries.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readManifests } from '../manifests.mjs';
import {
  answers,
  execute,
  isAlive,
  listens,
  project,
  readContainers,
  runContainer,
  startContainer,
  state,
  stopContainer,
} from './container.mjs';

const secrets = join(state, 'secrets');
const owner = 1000;

/** Manifests, settings and images of a kustomization and of those below it. */
function build(folder) {
  const [own] = readManifests(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  const all = { manifests: [], maps: {}, images: {} };
  for (const resource of own.resources) {
    const path = join(folder, resource);
    if (existsSync(join(path, 'kustomization.yaml'))) {
      const below = build(path);
      all.manifests.push(...below.manifests);
      Object.assign(all.maps, below.maps);
      Object.assign(all.images, below.images);
    } else all.manifests.push(...readManifests(readFileSync(path, 'utf8')));
  }
  for (const { name, literals } of own.configMapGenerator ?? []) {
    const entries = literals.map((literal) => [literal.split('=', 1)[0], literal.replace(/^[^=]*=/, '')]);
    all.maps[name] = { ...all.maps[name], ...Object.fromEntries(entries) };
  }
  for (const image of own.images ?? []) all.images[image.name] = { ...all.images[image.name], ...image };
  return all;
}

function environmentOf({ envFrom = [], env = [] }, maps) {
  const all = Object.assign({}, ...envFrom.map(({ configMapRef }) => maps[configMapRef.name]));
  for (const { name, valueFrom } of env) {
    const { name: secret, key } = valueFrom.secretKeyRef;
    const file = join(secrets, secret, key);
    if (existsSync(file)) all[name] = readFileSync(file, 'utf8');
  }
  return all;
}

/** A copy of a secret as a pod sees it, or an empty folder. */
function volumeOf(pod, { name, secret }) {
  const folder = join(state, 'volumes', `${pod}-${name}`);
  mkdirSync(folder, { recursive: true });
  if (secret === undefined) chownSync(folder, owner, owner);
  else
    for (const file of readdirSync(join(secrets, secret.secretName))) {
      cpSync(join(secrets, secret.secretName, file), join(folder, file));
      chownSync(join(folder, file), 0, owner);
      chmodSync(join(folder, file), secret.defaultMode);
    }
  return folder;
}

const hosts = () => readFileSync(join(state, 'cluster-hosts'), 'utf8').trim().split('\n');

function containerOf(pod, address, spec, { maps, images }) {
  const volumes = Object.fromEntries(spec.volumes.map((volume) => [volume.name, volumeOf(pod, volume)]));
  return ({ image, command, securityContext, volumeMounts, ...rest }) => {
    if (images[image]?.newTag === undefined) throw new Error(`no tag for ${image}`);
    return {
      name: pod,
      addresses: [address],
      app: basename(image),
      uid: spec.securityContext.runAsUser,
      isReadOnly: securityContext.readOnlyRootFilesystem,
      hosts: hosts(),
      env: { NODE_ENV: 'production', ...environmentOf(rest, maps) },
      mounts: volumeMounts.map(({ name, mountPath, readOnly }) => ({
        from: volumes[name],
        to: mountPath,
        isReadOnly: readOnly === true,
      })),
      command: command ?? ['node', '--enable-source-maps', 'dist/src/main.js'],
    };
  };
}

const nameOf = ({ metadata }) => metadata.name;

async function makeServices(services) {
  const lines = services.map((service, index) => `172.30.0.${20 + index} ${nameOf(service)}`);
  appendFileSync(join(state, 'cluster-hosts'), `${lines.join('\n')}\n`);
  appendFileSync('/etc/hosts', `${lines.join('\n')}\n`);
  for (const [index, service] of services.entries()) {
    const [{ port }] = service.spec.ports;
    const address = `172.30.0.${20 + index}`;
    spawnSync('ip', ['addr', 'add', `${address}/32`, 'dev', 'ways0']);
    const targets = [0, 1].map((pod) => `${podAddress(index, pod)}:${port}`);
    const words = [join(project, 'scripts/ways/relay.mjs'), address, port, ...targets];
    spawn(process.execPath, words.map(String), { stdio: 'ignore', detached: true }).unref();
    await listens(port, address);
  }
}

const podAddress = (deployment, pod) => `172.30.0.${100 + deployment * 10 + pod}`;

async function startPod(built, deployment, index, pod) {
  const { spec } = deployment.spec.template;
  const name = `${nameOf(deployment)}-${pod}`;
  const container = containerOf(name, podAddress(index, pod), spec, built);
  for (const init of spec.initContainers) {
    const code = await runContainer(container(init), ['ignore', 2, 2]);
    if (code !== 0) throw new Error(`${name}: the init container ended with ${code}`);
  }
  const [main] = spec.containers;
  startContainer({ ...container(main), service: nameOf(deployment) });
  const { path } = main.readinessProbe.httpGet;
  await answers(
    `http://${podAddress(index, pod)}:${main.ports[0].containerPort}${path}`,
    readContainers()[name],
  );
}

async function roll(folder) {
  const built = build(folder);
  const deployments = built.manifests.filter(({ kind }) => kind === 'Deployment');
  for (const [index, deployment] of deployments.entries()) {
    for (const pod of [0, 1]) {
      const former = readContainers()[`${nameOf(deployment)}-${pod}`];
      if (former !== undefined && isAlive(former)) await stopContainer(former);
    }
    // at the same time, as a cluster does: the migrations have a lock
    await Promise.all([0, 1].map((pod) => startPod(built, deployment, index, pod)));
  }
}

const [command, ...words] = process.argv
  .slice(2)
  .filter((word, i, all) => word !== '-n' && all[i - 1] !== '-n');
if (command === 'create' && words[0] === 'secret') {
  const folder = join(secrets, words[2]);
  mkdirSync(folder, { recursive: true });
  for (const [, key, file] of words.slice(3).map((word) => /^--from-file=([^=]+)=(.+)$/.exec(word)))
    cpSync(file, join(folder, key));
} else if (command === 'apply') {
  const folder = resolve(words[1]);
  await makeServices(build(folder).manifests.filter(({ kind }) => kind === 'Service'));
  await roll(folder);
} else if (command === 'rollout') {
  await roll(resolve('overlay'));
} else if (command === 'exec') {
  const [, name] = words[0].split('/');
  const pod = Object.values(readContainers()).find(({ service }) => service === name);
  process.exitCode = execute(pod, words.slice(words.indexOf('--') + 1));
}
