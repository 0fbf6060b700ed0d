import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fqdn, NewAcmeClient } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { hasProgram, programOfToday, say } from '@certloop/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dummyCaProvider, makeSpace } from '../../src/main-job.js';
import { type OneProcess, startOneProcess } from '../support/one-process.js';

const day = 86_400_000;
const hostname = 'www.example.test';
const checkName = `${hostname} (Shop)`;
const program = programOfToday('lego');
const hasLego = hasProgram(program, 'no client renews by the renewalInfo of the service');
const hasOpenssl = hasProgram('openssl', 'no certificate of the service is made', ['version']);
// lego's own clock shows now: by it, the window of a certificate from 50 days ago has passed
const begun = new Date(Math.floor((Date.now() - 50 * day) / 1000) * 1000);

describeEachDialect('a machine with lego', (open) => {
  let folder: string;
  let server: Server;
  let stack: OneProcess;
  let directory: string;
  let fqdn: Fqdn;
  let client: NewAcmeClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-client-story-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    if (!hasOpenssl || !hasLego) return;
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    await say('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert]);
    stack = await startOneProcess(open, {
      now: begun,
      environment: { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` },
    });
    const tls = { key: await readFile(key), cert: await readFile(cert) };
    server = createServer(tls, (request, response) => stack.manager.http(request, response));
    server.listen(0, 'localhost');
    await once(server, 'listening');
    directory = `https://localhost:${(server.address() as AddressInfo).port}/acme/directory`;
    const { manager } = stack.clients;
    const id = await dummyCaProvider(stack.clients);
    const { body: provider } = await manager.getProvider({ params: { id } });
    const config = { ...provider.config, validityDays: 90 };
    await manager.setProviderConfig({ params: { id }, body: { config } });
    const { id: spaceId } = await makeSpace(stack.clients, 'Shop');
    const body = { name: 'web-7', names: { suffixes: ['example.test'] }, providerId: id };
    client = (await manager.createAcmeClient({ params: { spaceId }, body })).body;
  });
  afterAll(async () => {
    await stack?.close();
    server?.closeAllConnections();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs lego with the account and the certificates of a machine. */
  const lego = (machine: string, ...args: readonly string[]) =>
    say(
      program,
      [
        ...['--server', directory, '--path', join(folder, machine), '--accept-tos', '-m', 'ada@example.test'],
        ...['--eab', '--kid', client.kid, '--hmac', client.hmacKey, '-d', hostname, '--http'],
        ...args,
      ],
      { LEGO_CA_CERTIFICATES: join(folder, 'cert.pem') },
    );
  const certificates = async () =>
    (await stack.clients.manager.listCertificates({ params: { spaceId: fqdn.spaceId, fqdnId: fqdn.id } }))
      .body;
  /** Messages about the FQDN's check after a run of each job, so many days after the beginning. */
  async function moveTo(days: number): Promise<string[]> {
    stack.clock.set(new Date(begun.getTime() + days * day));
    await stack.manager.jobs.runRenewals();
    await stack.manager.jobs.run('watch.sweep');
    await stack.manager.jobs.run('watch');
    await stack.tick();
    return stack.alerts().filter((message) => message.startsWith(checkName));
  }
  const shown = async () =>
    (await stack.clients.manager.getFqdn({ params: { id: fqdn.spaceId, fqdnId: fqdn.id } })).body.status;

  test.runIf(hasLego && hasOpenssl)(
    'renews by ARI without a word, and people are notified when it is removed, although another machine renews',
    async () => {
      await lego('web-7', 'run');
      const { manager } = stack.clients;
      const found = (await manager.listAllFqdns({ query: { fqdn: hostname } })).body[0];
      if (found === undefined) throw new Error('the order adds its FQDN');
      fqdn = found;
      const params = { spaceId: fqdn.spaceId, fqdnId: fqdn.id };
      await manager.setRenewalEnabled({ params, body: { renewalEnabled: true, renewAfterFraction: 0.5 } });
      expect(await moveTo(45)).toEqual([]);
      expect(await shown()).toMatchObject({ state: 'valid', outlook: 'renewed_by_client' });
      // 40 days before its end by lego's own clock: nothing but the window makes it renew
      await lego('web-7', 'renew', '--no-random-sleep');
      expect(await certificates()).toHaveLength(2);
      await lego('web-8', 'run');
      expect(await moveTo(100)).toEqual([]);
      await lego('web-8', 'renew', '--no-random-sleep', '--days', '400', '--ari-disable');
      expect(await certificates()).toHaveLength(4);
      expect(await moveTo(105.5)).toEqual([]);
      // lego of web-7 is removed: its certificate ends 45 + 90 days after the beginning
      const [alert, ...others] = await moveTo(106.1);
      expect(others).toEqual([]);
      const text = String((await shown())?.reason);
      expect(text).toMatch(
        /^Client web-7 \(lego 4\.\d+, last seen \d+ \w+( \d{4})? from [\d.:a-f]+\) has not renewed www\.example\.test, which expires on \d+ \w+( \d{4})?: look at that machine; it has certificates of client web-7 \(lego/,
      );
      const sentence = text.slice(1, -1);
      expect(alert).toBe(`${checkName} is down: c${sentence}`);
      expect((await manager.explainRenewal({ params })).body.message).toContain(sentence);
      const { body: lineages } = await manager.listLineages({ params, query: {} });
      expect(lineages.map(({ state }) => state)).toEqual(['late', 'expected']);
      await stack.manager.jobs.run('notices.sweep');
      const notices = (await stack.notices()).filter(({ type }) => type === 'certificate.expiring');
      expect(notices.map(({ data }) => data['message'])).toEqual([text]);
      // a person reports that the machine is gone
      const lineage = String(lineages[0]?.lineage);
      await manager.releaseLineage({ params: { ...params, lineage } });
      expect(await moveTo(106.2)).toEqual([expect.stringContaining('is up')]);
      expect(await shown()).toMatchObject({ state: 'valid', acmeClient: { lineages: 1 } });
    },
  );
});
