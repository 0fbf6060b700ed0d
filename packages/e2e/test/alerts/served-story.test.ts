import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { buildCsr, exportPrivateKeyPem, generateKeyPair } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFqdn, makeSpace, type Place, signCsr, uploadCsr } from '../../src/main-job.js';
import { type OneProcess, startOneProcess } from '../support/one-process.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const hostname = 'www.example.test';
const checkName = `${hostname} (Shop)`;

describeEachDialect('a certificate', (open) => {
  let server: Server;
  let port: number;
  let stack: OneProcess;
  let keyPem: string;
  let params: Place;

  beforeAll(async () => {
    server = createServer({ ca: [] });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    stack = await startOneProcess(open, {
      environment: { PROBE_ALLOW_CIDRS: '127.0.0.0/8', PROBE_PORTS: String(port) },
    });
    const { clients } = stack;
    const { id: spaceId } = await makeSpace(clients, 'Shop');
    params = { spaceId, fqdnId: (await addFqdn(clients, spaceId, hostname)).id };
    const { privateKey } = await generateKeyPair('P-256');
    keyPem = exportPrivateKeyPem(privateKey);
    const { pem } = await buildCsr({ privateKey, dnsNames: [hostname], subject: { commonName: hostname } });
    await uploadCsr(clients, params, hostname, pem);
    await signCsr(clients, params);
  });
  afterAll(async () => {
    await stack.close();
    await new Promise((done) => server.close(done));
  });

  const certificates = async () => (await stack.clients.manager.listCertificates({ params })).body;
  const newest = async () => {
    const certificate = (await certificates()).at(-1);
    if (certificate === undefined) throw new Error('there is no certificate');
    return certificate;
  };
  const setRenewal = (renewalEnabled: boolean) =>
    stack.clients.manager.setRenewalEnabled({ params, body: { renewalEnabled } });
  const reload = async () => server.setSecureContext({ ca: [], key: keyPem, cert: (await newest()).pem });
  const findServed = async () => (await stack.clients.manager.getServed({ params })).body;
  /** Status of the FQDN's check when the clock stands there, after a run of each job. */
  const statusAt = async (moment: number) => {
    stack.clock.set(new Date(moment));
    await stack.manager.jobs.runRenewals();
    await stack.manager.jobs.run('targets');
    await stack.manager.jobs.run('watch.sweep');
    await stack.manager.jobs.run('watch');
    await stack.tick();
    const query = { slug: `certloop-fqdn-${params.fqdnId}` };
    return (await stack.clients.monitor.listChecks({ query })).body.checks[0]?.status;
  };
  const now = () => stack.clock.now().getTime();
  /** Messages about the FQDN's check since the last call. */
  const messages = () => stack.alerts().filter((message) => message.startsWith(checkName));

  test('that is renewed but not served fails its check within the grace, until the server is reloaded', async () => {
    const { manager } = stack.clients;
    await setRenewal(true);
    await reload();
    const body = { host: '127.0.0.1', port, sni: hostname };
    const { graceSeconds } = (await manager.createTarget({ params, body })).body;
    expect(await statusAt(now())).toBe('up');
    const first = (await findServed()).expected?.serialNumber;
    expect(await findServed()).toMatchObject({ class: 'current' });

    const renewAt = Date.parse((await manager.explainRenewal({ params })).body.plan?.renewAt ?? '');
    expect(await statusAt(renewAt)).toBe('up');
    expect(await certificates()).toHaveLength(2);
    // the server serves the first one all the while
    for (const ms of [minute, 5 * minute, 30 * minute, 7 * hour, 14 * hour, graceSeconds * 1000 - minute])
      expect(await statusAt(renewAt + ms)).toBe('up');
    expect(await findServed()).toMatchObject({ class: 'previous' });
    expect(messages()).toEqual([]);
    expect(await statusAt(renewAt + graceSeconds * 1000)).toBe('down');

    const second = (await findServed()).expected?.serialNumber;
    const [before, after] = (await certificates()).map(({ expiresAt, createdAt }) => ({
      expiresAt,
      createdAt,
    }));
    expect(first).not.toBe(second);
    expect(messages()).toEqual([
      `${checkName} is down: 127.0.0.1:${port} still serves certificate ${first}, which ends on ${before?.expiresAt.slice(0, 10)}; ` +
        `${second} was issued on ${after?.createdAt.slice(0, 10)}: install it and reload the server.`,
    ]);

    await reload();
    expect(await statusAt(now() + 7 * hour)).toBe('up');
    expect(await findServed()).toMatchObject({ class: 'current' });
    expect(messages()).toEqual([`${checkName} is up: all targets serve what they should again`]);
  });

  test('that is no longer renewed is reported 30 days before its expiry, by the monitor and by a notice', async () => {
    await setRenewal(false);
    const { expiresAt } = await newest();
    const noticeAt = Date.parse(expiresAt) - 30 * day;
    expect(await statusAt(noticeAt - minute)).toBe('up');
    await stack.notices();
    expect(messages()).toEqual([]);
    expect(await statusAt(noticeAt + day + minute)).toBe('down');
    const [message] = messages();
    expect(message).toContain(`${checkName} is down`);
    expect(message).toContain(expiresAt.slice(0, 10));
    await stack.manager.jobs.run('notices.sweep');
    expect(await stack.notices()).toContainEqual(
      expect.objectContaining({
        type: 'certificate.expiring',
        data: expect.objectContaining({ fqdn: hostname }),
      }),
    );
  });
});
