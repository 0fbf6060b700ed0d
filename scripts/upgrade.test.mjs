// Runs docker/upgrade.sh with a stub of docker, in which each service has one container.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../docker/upgrade.sh', import.meta.url));
const services = ['check-monitor', 'cert-manager', 'dummy-ca'];
// what a new version needs is there before a process of it starts
const preparation = ['ran secrets', 'ran databases', 'migrated', 'migrated'];

// `states` has the answer to each question for the state of a new container; questions after the last one fail
const docker = `#!/usr/bin/env bash
cd "$(dirname "$0")"
last=\${!#}
case "$*" in
  compose*' ps '*-*q) echo running ;;
  compose*' ps '*) cat "$last" ;;
  compose*' config --hash '*) echo "$last hash" ;;
  compose*' up '*--wait) echo started >>calls ;;
  compose*' up '*) echo "$last-new" >"$last" ;;
  compose*' run '*' migrate') echo migrated >>calls ;;
  compose*' run '*) echo "ran $last" >>calls ;;
  'container inspect'*Health*)
    read -r health others <states || exit 1
    tail -n +2 states >rest && mv rest states
    [[ "$*" = *RestartCount* ]] && echo "$health $others" || echo "$health" ;;
  'container inspect'*.Config.Image*) echo image ;;
  'container inspect'*Labels*) echo hash ;;
  'container inspect'*-new | 'image inspect'*) echo sha256:new ;;
  'container inspect'*) echo sha256:old ;;
  stop*) echo "stopped $last" >>calls ;;
esac
`;

const hasBash = spawnSync('bash', ['--version']).error === undefined;

describe('docker/upgrade.sh', { skip: !hasBash && 'bash is missing' }, () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'certloop-upgrade-'));
    writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
    writeFileSync(join(folder, 'sleep'), '#!/usr/bin/env bash\n', { mode: 0o755 });
    for (const service of services) writeFileSync(join(folder, service), `${service}-old\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** How the upgrade ends when the states of the new containers are these, in the order of the questions. */
  const upgrade = (...states) => {
    writeFileSync(join(folder, 'states'), states.map((state) => `${state}\n`).join(''));
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const { status, stderr } = spawnSync('bash', [script], { env, encoding: 'utf8' });
    return { status, stderr, calls: readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') };
  };

  it('replaces one container after the other', () => {
    const healthy = 'healthy running 0';
    const { status, calls } = upgrade(
      'starting running 0',
      'starting restarting 1',
      healthy,
      healthy,
      healthy,
    );
    assert.equal(status, 0);
    const stops = services.map((service) => `stopped ${service}-old`);
    assert.deepEqual(calls, [...preparation, ...stops, 'started']);
  });

  for (const [what, states] of Object.entries({
    'is started again and again': [0, 1, 2, 3].map((restarts) => `starting running ${restarts}`),
    'has ended': ['starting running 0', 'starting exited 0'],
    'is unhealthy': ['starting running 0', 'unhealthy running 0'],
  })) {
    it(`ends and names the log if a new container ${what}`, () => {
      const { status, stderr, calls } = upgrade(...states);
      assert.equal(status, 1);
      assert.match(stderr, /a new check-monitor .*: docker logs check-monitor-new/);
      assert.deepEqual(calls, [...preparation, 'stopped check-monitor-old']);
    });
  }
});
