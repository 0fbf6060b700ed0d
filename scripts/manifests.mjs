// Judges docker/kustomize without a cluster: by the schemas of the Kubernetes API, as strictly as its server does,
// and by what must fit together across the manifests.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseAllDocuments } from 'yaml';

const require = createRequire(import.meta.url);

/** The documents of one YAML file; octal numbers such as 0440 count as Kubernetes reads them. Throws on bad YAML. */
export function readManifests(text) {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

/** All manifests that a kustomization lists, itself first. */
export function readKustomization(folder) {
  const read = (name) => readManifests(readFileSync(new URL(name, folder), 'utf8'));
  const [kustomization] = read('kustomization.yaml');
  return { kustomization, manifests: kustomization.resources.flatMap(read) };
}

const nameOf = ({ kind, metadata }) => `${kind}/${metadata?.name}`;

function modelOf({ apiVersion, kind }) {
  try {
    return require(`kubernetes-models/${apiVersion}/${kind}`)[kind];
  } catch {
    return undefined;
  }
}

/** The value, noting each member that is read of it: a validator reads just the members that its schema knows. */
function watched(value, path, unread) {
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map();
  for (const [key, member] of Object.entries(value)) {
    unread.add(`${path}.${key}`);
    members.set(key, watched(member, `${path}.${key}`, unread));
  }
  return new Proxy(value, {
    get: (target, key) => {
      unread.delete(`${path}.${String(key)}`);
      return members.get(key) ?? Reflect.get(target, key);
    },
  });
}

/** What the schema of its kind says against a manifest, fields that the kind does not have included. */
export function schemaFaults(manifest) {
  const Model = modelOf(manifest);
  if (Model === undefined) return [`${nameOf(manifest)}: no kind of ${manifest.apiVersion}`];
  const unread = new Set();
  const model = new Model({});
  for (const [key, member] of Object.entries(manifest)) model[key] = watched(member, `.${key}`, unread);
  try {
    model.validate();
  } catch (fault) {
    return [`${nameOf(manifest)}: ${fault.message}`];
  }
  // what stands in an unknown field was not read either: the field itself says enough
  const unknown = [...unread].filter((path) => !unread.has(path.slice(0, path.lastIndexOf('.'))));
  return unknown.map((path) => `${nameOf(manifest)}: unknown field ${path.slice(1)}`);
}

const holds = (labels, selector) =>
  selector !== undefined && Object.entries(selector).every(([key, value]) => labels?.[key] === value);

/** What does not fit together: selectors, ports, volumes, sources of settings, and what each Deployment needs beside it. */
export function fittingFaults({ kustomization, manifests }) {
  const of = (kind) => manifests.filter((manifest) => manifest.kind === kind);
  const maps = new Set(kustomization.configMapGenerator.map(({ name }) => name));
  const faults = [];
  for (const workload of of('Deployment')) {
    const { initContainers = [], containers, volumes = [] } = workload.spec.template.spec;
    for (const { envFrom = [], volumeMounts = [], name } of [...initContainers, ...containers]) {
      for (const { configMapRef } of envFrom)
        if (!maps.has(configMapRef?.name))
          faults.push(`${nameOf(workload)}: ${name} reads an unknown ConfigMap`);
      for (const mount of volumeMounts)
        if (!volumes.some((volume) => volume.name === mount.name))
          faults.push(`${nameOf(workload)}: ${name} mounts ${mount.name}, which is no volume`);
    }
  }
  for (const deployment of of('Deployment')) {
    const { labels } = deployment.spec.template.metadata;
    const say = (text) => faults.push(`${nameOf(deployment)}: ${text}`);
    if (!holds(labels, deployment.spec.selector.matchLabels)) say('its selector misses its own pods');
    const ports = deployment.spec.template.spec.containers.flatMap((container) => container.ports ?? []);
    const service = of('Service').find(({ spec }) => holds(labels, spec.selector));
    if (!service?.spec.ports.every((port) => ports.some(({ name }) => name === port.targetPort)))
      say('no Service leads to its ports');
    if (!of('PodDisruptionBudget').some(({ spec }) => holds(labels, spec.selector.matchLabels)))
      say('no PodDisruptionBudget keeps it');
    if (!of('NetworkPolicy').some(({ spec }) => holds(labels, spec.podSelector.matchLabels)))
      say('no NetworkPolicy guards it');
    const scales = ({ spec: { scaleTargetRef: to } }) =>
      to.kind === 'Deployment' && to.name === deployment.metadata.name;
    if (!of('HorizontalPodAutoscaler').some(scales)) say('no HorizontalPodAutoscaler scales it');
    const { initContainers = [], containers } = deployment.spec.template.spec;
    const migrates = ({ image, command }) =>
      image === containers[0].image && command?.join(' ') === 'node dist/src/cli.js migrate';
    if (!initContainers.some(migrates)) say('no init container migrates its database');
  }
  return faults;
}
