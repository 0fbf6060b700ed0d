import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { until } from '@certloop/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { type Credentials, credentialsFile } from '../../src/credentials.js';
import { addIntegrationCommand } from '../../src/greeting.js';
import { addFqdn, clientsOf, makeCsr, makeSpace, signCsr, uploadCsr } from '../../src/main-job.js';

const start = fileURLToPath(new URL('../../src/start.js', import.meta.url));

describe('the first alert', () => {
  let folder: string;
  const arrived: string[] = [];
  const hook = createServer((request, response) => {
    void text(request).then((body) => arrived.push(body));
    response.end();
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-first-alert-'));
    hook.listen(0, '127.0.0.1');
    await once(hook, 'listening');
  });
  afterAll(async () => {
    hook.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('arrives by an integration that is added as the first start describes, for checks that existed before', async () => {
    const dataDir = join(folder, 'data');
    const stack = spawn(process.execPath, [start], {
      env: {
        ...inheritedEnvironment(),
        CERTLOOP_DATA_DIR: dataDir,
        CERT_MANAGER_PORT: '0',
        CERT_MANAGER_HTTPS_PORT: '0',
        CHECK_MONITOR_PORT: '0',
        DUMMY_CA_PORT: '0',
        DUMMY_CA_HTTPS_PORT: '0',
        CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
        // each run asks the monitor who is notified
        HEARTBEAT_SECONDS: '1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(stack, 'close');
    try {
      let greeting = '';
      stack.stdout.on('data', (chunk: Buffer) => {
        greeting += chunk.toString('utf8');
      });
      await until(async () => greeting.includes('Ctrl-C stops everything'));
      expect(greeting).toContain(`none before you add an integration, such as:\n${addIntegrationCommand}\n`);

      const credentials = JSON.parse(await readFile(credentialsFile(dataDir), 'utf8')) as Credentials;
      const clients = clientsOf(credentials);
      const space = await makeSpace(clients, 'Shop');
      const fqdn = await addFqdn(clients, space.id, 'www.example.test');
      const place = { spaceId: space.id, fqdnId: fqdn.id };
      await uploadCsr(clients, place, fqdn.fqdn, await makeCsr(fqdn.fqdn));
      await signCsr(clients, place);
      await clients.manager.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
      const watched = async () => {
        const { checks } = (await clients.monitor.listChecks()).body;
        const up = checks.filter(({ status }) => status === 'up');
        return up.length === 4 ? up : undefined;
      };
      const before = await until(watched);
      expect(before.map((check) => 'channels' in check && check.channels)).toEqual(['', '', '', '']);
      /** What cert-manager says of the watch once it knows that so many checks have no integration. */
      const watchWithout = (checks: number) =>
        until(async () => {
          const { state, alerts } = (await clients.manager.getWatch()).body;
          return alerts?.checksWithoutIntegration === checks ? { state, ...alerts } : undefined;
        });
      expect(await watchWithout(4)).toMatchObject({ state: 'no_one', canSend: 0 });

      const { port } = hook.address() as AddressInfo;
      const settings = {
        down: { method: 'POST', url: `http://127.0.0.1:${port}/`, body: '$NAME is $STATUS' },
      };
      const command = addIntegrationCommand.replace(
        /--kind .*$/,
        `--kind webhook --name Hook --settings '${JSON.stringify(settings)}'`,
      );
      const added = spawn('sh', ['-c', command], {
        cwd: fileURLToPath(new URL('../../../../../', import.meta.url)),
        env: {
          ...inheritedEnvironment(),
          CERTLOOP_DATA_DIR: dataDir,
          CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      expect(await text(added.stdout)).toMatch(/^checks: 4$/m);

      for (const check of before) if ('ping_url' in check) await fetch(`${check.ping_url}/fail`);
      await until(async () => arrived.length >= 4);
      expect([...arrived].sort()).toEqual([
        'CertLoop cert-manager is down',
        'CertLoop cert-manager: renewal advice is down',
        'CertLoop cert-manager: served certificates is down',
        'www.example.test (Shop) is down',
      ]);
      expect(await watchWithout(0)).toMatchObject({ state: 'notified', canSend: 1, failing: 0 });
    } finally {
      stack.kill('SIGTERM');
      await ended;
    }
  });
});
