// Judges the manifests that we ship, and proves that the judge would see what is wrong.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { settings as certManager } from '../apps/cert-manager/dist/src/config.js';
import { settings as checkMonitor } from '../apps/check-monitor/dist/src/config.js';
import { certManagerContract } from '../packages/contracts/dist/src/index.js';
import { createHttpApp } from '../packages/server/dist/src/index.js';
import { fittingFaults, readKustomization, readManifests, schemaFaults } from './manifests.mjs';

const shipped = readKustomization(new URL('../docker/kustomize/', import.meta.url));
const settingsOf = { 'cert-manager': certManager, 'check-monitor': checkMonitor };
const changed = (change) => {
  const copy = structuredClone(shipped);
  change((name) => copy.manifests.find(({ kind, metadata }) => `${kind}/${metadata.name}` === name));
  return copy;
};

test('the shipped manifests are valid for the Kubernetes API', () => {
  assert.deepEqual(shipped.manifests.flatMap(schemaFaults), []);
});

test('the shipped manifests are consistent', () => {
  assert.deepEqual(fittingFaults(shipped), []);
});

test('the shipped ConfigMaps contain only settings that the services have', () => {
  for (const { name, literals } of shipped.kustomization.configMapGenerator) {
    const known = Object.values(settingsOf[name]).map((setting) => setting.name);
    const given = literals.map((literal) => literal.split('=')[0].replace(/_FILE$/, ''));
    assert.deepEqual(
      given.filter((variable) => !known.includes(variable) && !known.includes(`${variable}_FILE`)),
      [],
    );
  }
});

test('the shipped images have the version of this tree', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  assert.deepEqual(
    shipped.kustomization.images.map(({ newTag }) => newTag),
    [version, version],
  );
});

const proxySettings = {
  'cert-manager': certManager.trustedProxies,
  'check-monitor': checkMonitor.trustedProxies,
};

test('the shipped ConfigMaps trust no proxy, and the services refuse their placeholder', () => {
  for (const { name, literals } of shipped.kustomization.configMapGenerator) {
    const { name: variable, schema } = proxySettings[name];
    const [, value] = literals.find((literal) => literal.startsWith(`${variable}=`)).split('=');
    assert.equal(schema.safeParse(value).success, false);
    assert.equal(schema.safeParse('192.0.2.1,198.51.100.0/24').success, true);
  }
});

/** The text with the default of each variable of compose, the innermost first. */
function withDefaults(text) {
  const next = text.replace(/\$\{\w+:-([^${}]*)\}/g, '$1');
  return next === text ? text : withDefaults(next);
}

test('the scaled stack trusts the fixed address of its balancer and no other container', () => {
  const text = readFileSync(new URL('../docker/compose.scale.yaml', import.meta.url), 'utf8');
  const { services, networks } = parse(withDefaults(text).replaceAll('!reset', ''));
  const { ipv4_address: balancer } = services.balancer.networks.front;
  const [{ subnet, ip_range: others }] = networks.front.ipam.config;
  assert.deepEqual([balancer, subnet, others], ['172.31.255.2', '172.31.255.0/24', '172.31.255.128/25']);
  assert.deepEqual(Object.keys(services.balancer.networks), ['front']);
  for (const [service, { name: variable, schema }] of Object.entries(proxySettings)) {
    assert.ok(services[service].networks.includes('front'));
    const trustedProxies = schema.parse(services[service].environment[variable]);
    const isTrusted = createHttpApp({ logger: { info() {} }, trustedProxies }).get('trust proxy fn');
    assert.equal(isTrusted(balancer, 0), true);
    for (const other of ['172.31.255.1', '172.31.255.130', '172.18.0.5', '10.0.0.1', '192.168.0.1'])
      assert.equal(isTrusted(other, 0), false, other);
  }
});

test('only cert-manager shares a network with dummy-ca', () => {
  const read = (name) => parse(readFileSync(new URL(`../docker/${name}`, import.meta.url), 'utf8'));
  const networksOf = ({ extends: base, networks }) =>
    networks ?? (base && read(base.file).services[base.service].networks) ?? ['default'];
  for (const name of ['compose.yaml', 'compose.dev.yaml']) {
    const { services, networks } = read(name);
    assert.ok('ca' in networks);
    assert.deepEqual(networksOf(services['dummy-ca']), ['ca']);
    const onNetwork = Object.keys(services).filter((each) => networksOf(services[each]).includes('ca'));
    assert.deepEqual(onNetwork.toSorted(), ['cert-manager', 'dummy-ca'], name);
  }
});

const docker = (name) => readFileSync(new URL(`../docker/${name}`, import.meta.url), 'utf8');

test('compose starts every service again that ended, except jobs that run once', () => {
  const files = ['compose.yaml', 'compose.dev.yaml', 'compose.scale.yaml'];
  const jobs = new Set(
    [...files, 'services.yaml'].flatMap((file) =>
      [...docker(file).matchAll(/([\w-]+): \{ condition: service_completed_successfully/g)].map(
        ([, job]) => job,
      ),
    ),
  );
  const common = parse(docker('services.yaml'), { merge: true }).services;
  const policies = files.flatMap((file) =>
    // a service without image and base is one of another file
    Object.entries(parse(docker(file), { logLevel: 'silent' }).services)
      .filter(([, { image, extends: base }]) => image !== undefined || base !== undefined)
      .map(([name, { restart, extends: base }]) => [name, restart ?? common[base?.service]?.restart]),
  );
  assert.ok(policies.length > 10);
  assert.deepEqual(
    policies.filter(([name, policy]) => policy !== (jobs.has(name) ? 'no' : 'unless-stopped')),
    [],
  );
});

test('compose limits the log of every container', () => {
  const files = ['compose.yaml', 'compose.dev.yaml', 'compose.scale.yaml', 'services.yaml'];
  const services = files.flatMap((file) =>
    // a service without an image is one of another file
    Object.entries(parse(docker(file), { merge: true, logLevel: 'silent' }).services).filter(
      ([, { image }]) => image !== undefined,
    ),
  );
  assert.ok(services.length > 5);
  for (const [name, { logging }] of services) {
    const limited = { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } };
    assert.deepEqual(logging, limited, name);
  }
});

test('systemd starts a service again however it ended, and never stops trying', () => {
  for (const name of ['cert-manager', 'check-monitor', 'dummy-ca']) {
    const unit = docker(`systemd/${name}.service`);
    assert.match(unit, /^Restart=always$/m);
    assert.match(unit, /^RestartSec=[1-9]\d*s$/m);
    assert.match(unit, /^\[Unit\]\n(?:[^[].*\n|\n)*StartLimitIntervalSec=0$/m);
  }
});

test('Kubernetes starts a container again that ended or no longer responds', () => {
  const pods = shipped.manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => spec.template.spec);
  assert.equal(pods.length, 2);
  for (const { restartPolicy = 'Always', containers } of pods) {
    assert.equal(restartPolicy, 'Always');
    // a dead database is no reason to restart
    for (const { livenessProbe } of containers) assert.equal(livenessProbe.httpGet.path, '/health/live');
  }
});

test('the balancer waits longer for a response than a caller can make cert-manager wait', () => {
  const balancer = readFileSync(new URL('../docker/balancer.conf', import.meta.url), 'utf8');
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(balancer);
  const { query } = certManagerContract.requestCertificate;
  assert.equal(query.safeParse({ wait: '120' }).success, true);
  // with half a minute for the answer itself
  assert.equal(query.safeParse({ wait: String(seconds - 30) }).success, false);
});

const bad = {
  'a field of the wrong type': ['spec: { maxUnavailable: [1] }', /maxUnavailable/],
  'a field that the kind does not have': ['spec: { maxUnavailble: 1 }', /unknown field spec.maxUnavailble/],
};
for (const [name, [spec, fault]] of Object.entries(bad)) {
  test(`rejects ${name}`, () => {
    const [manifest] = readManifests(
      `{ apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: { name: a }, ${spec} }`,
    );
    assert.match(schemaFaults(manifest).join('\n'), fault);
  });
}

test('rejects a kind that its group does not have', () => {
  assert.match(
    schemaFaults({ apiVersion: 'apps/v1', kind: 'Deploymint', metadata: {} })[0],
    /no kind of apps\/v1/,
  );
});

const unfit = {
  'a selector that misses its pods': [
    (get) => {
      get('Deployment/cert-manager').spec.template.metadata.labels = { a: 'b' };
    },
    /misses its own pods/,
  ],
  'a Service of another port': [
    (get) => {
      get('Service/cert-manager').spec.ports[0].targetPort = 'https';
    },
    /no Service leads to its ports/,
  ],
  'a volume that is not there': [
    (get) => {
      get('Deployment/check-monitor').spec.template.spec.volumes.shift();
    },
    /mounts secrets, which is no volume/,
  ],
  'a migration of another image': [
    (get) => {
      get('Deployment/check-monitor').spec.template.spec.initContainers[0].image = 'certloop/cert-manager';
    },
    /no init container migrates its database/,
  ],
  'an autoscaler of something else': [
    (get) => {
      get('HorizontalPodAutoscaler/check-monitor').spec.scaleTargetRef.name = 'checkmonitor';
    },
    /no HorizontalPodAutoscaler scales it/,
  ],
};
for (const [name, [change, fault]] of Object.entries(unfit)) {
  test(`detects ${name}`, () => {
    assert.match(fittingFaults(changed(change)).join('\n'), fault);
  });
}
