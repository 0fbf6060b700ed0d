import { hangMs, until } from '@certloop/contracts/testing';
import { buildCsr, csrLabels, formatPem, generateKeyPair, parsePem } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import {
  addFqdn,
  awaitHeartbeat,
  type Clients,
  dummyCaProvider,
  judgeCertificate,
  makeCsr,
  makeSpace,
  type Place,
  signCsr,
  uploadCsr,
} from '../../src/main-job.js';
import { describeStack } from '../support/running-stack.js';

async function placeWithCsr(
  clients: Clients,
  hostname: string,
): Promise<Place & { readonly csrPem: string }> {
  const csrPem = await makeCsr(hostname);
  const space = await makeSpace(clients, hostname);
  const fqdn = await addFqdn(clients, space.id, hostname);
  const place = { spaceId: space.id, fqdnId: fqdn.id };
  await uploadCsr(clients, place, hostname, csrPem);
  return { ...place, csrPem };
}

describeStack('the main job', (running) => {
  test('uploads a CSR, returns its certificate, and the heartbeat arrives', async () => {
    const { clients } = running();
    const csrPem = await makeCsr('www.example.test');
    const space = await makeSpace(clients, 'Shop');
    const fqdn = await addFqdn(clients, space.id, 'WWW.Example.test.');
    expect(fqdn.fqdn).toBe('www.example.test');
    const place = { spaceId: space.id, fqdnId: fqdn.id };
    await uploadCsr(clients, place, fqdn.fqdn, csrPem);
    const certificate = await signCsr(clients, place);
    const facts = await judgeCertificate(clients, certificate.pem, csrPem);
    expect(facts.dnsNames).toEqual(['www.example.test']);
    expect(certificate.expiresAt).toBe(facts.notAfter.toISOString());
    const { body } = await clients.manager.refreshCertificate({
      params: { ...place, certId: certificate.id },
    });
    expect(body.pem).toBe(certificate.pem);
    expect((await awaitHeartbeat(clients, hangMs)).status).toBe('up');
  });

  test('signs every kind of key that the manager accepts', async () => {
    const { clients } = running();
    const space = await makeSpace(clients, 'Kinds');
    for (const kind of ['P-256', 'P-384', 'P-521', 'RSA-2048', 'Ed25519'] as const) {
      const hostname = `${kind.toLowerCase()}.example.test`;
      const { privateKey } = await generateKeyPair(kind);
      const { pem: csrPem } = await buildCsr({
        privateKey,
        subject: { commonName: hostname },
        dnsNames: [hostname],
      });
      const place = { spaceId: space.id, fqdnId: (await addFqdn(clients, space.id, hostname)).id };
      await uploadCsr(clients, place, hostname, csrPem);
      const facts = await judgeCertificate(clients, (await signCsr(clients, place)).pem, csrPem);
      expect(facts.dnsNames).toEqual([hostname]);
    }
  });

  test('rejects a CSR with an invalid signature, and stores nothing', async () => {
    const { clients } = running();
    const space = await makeSpace(clients, 'Broken');
    const fqdn = await addFqdn(clients, space.id, 'broken.example.test');
    const place = { spaceId: space.id, fqdnId: fqdn.id };
    const der = Buffer.from(parsePem(await makeCsr('broken.example.test'), csrLabels));
    der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
    const pem = formatPem(csrLabels[0], der);
    await expect(uploadCsr(clients, place, fqdn.fqdn, pem)).rejects.toMatchObject({
      kind: 'invalid_input',
      message: expect.stringMatching(/signature/i),
    });
    expect((await clients.manager.listCsrs({ params: place, query: {} })).body).toEqual([]);
    const providerId = await dummyCaProvider(clients);
    await expect(clients.manager.signCsr({ params: place, body: { providerId } })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  describe('in outages', () => {
    test('when the CA is down, signing fails with the reason and stores nothing, and works again later', async () => {
      const { stack, clients } = running();
      const place = await placeWithCsr(clients, 'ca-down.example.test');
      const providerId = await dummyCaProvider(clients);
      await stack.end('dummy-ca', 'kill');
      const reply = await clients.manager.signCsr({ params: place, body: { providerId } });
      expect(reply).toMatchObject({
        status: 200,
        body: { success: false, message: expect.stringMatching(/\S/) },
      });
      expect(reply.body).not.toHaveProperty('certificate');
      expect((await clients.manager.listCertificates({ params: place })).body).toEqual([]);
      await stack.start('dummy-ca');
      // The CA made a new root in the meantime; the manager learns it.
      await judgeCertificate(clients, (await signCsr(clients, place)).pem, place.csrPem);
    });

    test('when the CA loses its data, the manager still has the certificate and reports that the CA does not', async () => {
      const { stack, clients } = running();
      const place = await placeWithCsr(clients, 'forgotten.example.test');
      const certificate = await signCsr(clients, place);
      await stack.end('dummy-ca', 'kill');
      await stack.start('dummy-ca');
      const refreshed = await clients.manager.refreshCertificate({
        params: { ...place, certId: certificate.id },
      });
      expect(refreshed.body).toMatchObject({ pem: certificate.pem, providerStatus: 'missing' });
    });

    test('when the monitor is down, the manager continues, and the heartbeat arrives again afterwards', async () => {
      const { stack, clients } = running();
      const before = await awaitHeartbeat(clients, hangMs);
      await stack.end('check-monitor', 'kill');
      const place = await placeWithCsr(clients, 'monitor-down.example.test');
      await judgeCertificate(clients, (await signCsr(clients, place)).pem, place.csrPem);
      await stack.start('check-monitor');
      const again = await until(async () => {
        const now = await awaitHeartbeat(clients, hangMs);
        return now.n_pings > before.n_pings ? now : undefined;
      });
      expect(again.status).toBe('up');
    });

    test('when the manager is killed during writes, all acknowledged ones are stored', async () => {
      const { stack, clients } = running();
      const space = await makeSpace(clients, 'Killed');
      const acknowledged: string[] = [];
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; ; n += 1) {
          const hostname = `w${writer}-${n}.example.test`;
          await addFqdn(clients, space.id, hostname);
          acknowledged.push(hostname);
        }
      });
      const settled = Promise.allSettled(writers);
      await until(async () => acknowledged.length > 100);
      await stack.end('cert-manager', 'kill');
      await settled;
      await stack.start('cert-manager');
      const stored = (await clients.manager.listFqdns({ params: { id: space.id } })).body.map(
        ({ fqdn }) => fqdn,
      );
      expect(acknowledged.filter((hostname) => !stored.includes(hostname))).toEqual([]);
      const { logs } = (
        await clients.manager.listAuditLogs({ query: { action: 'fqdn.create', limit: '1000' } })
      ).body;
      const audited = logs.filter(({ details }) => details['spaceId'] === space.id);
      expect(audited).toHaveLength(stored.length);
    });

    test('when the monitor is killed during pings, all acknowledged ones are counted', async () => {
      const { stack, clients } = running();
      const { body: check } = await clients.monitor.createCheck({ body: { name: 'Killed' } });
      if (!('ping_url' in check)) throw new Error('a read-write key sees the ping address');
      let acknowledged = 0;
      const pinging = Array.from({ length: 8 }, async () => {
        for (;;) {
          const response = await fetch(check.ping_url, { method: 'POST', body: 'alive' });
          if (response.status === 200) acknowledged += 1;
        }
      });
      const settled = Promise.allSettled(pinging);
      await until(async () => acknowledged > 200);
      await stack.end('check-monitor', 'kill');
      await settled;
      await stack.start('check-monitor');
      const { body } = await clients.monitor.getCheck({ params: { id: check.uuid } });
      // A ping may be stored whose answer was cut off; one that was answered is never missing.
      expect(body.n_pings).toBeGreaterThanOrEqual(acknowledged);
      expect(body.n_pings).toBeLessThanOrEqual(acknowledged + 8);
    });

    test('on SIGTERM, every service exits with 0 and leaves no process', async () => {
      const { stack } = running();
      const ends = await Promise.all(
        (['cert-manager', 'check-monitor', 'dummy-ca'] as const).map(async (app) => {
          const { ended, pid } = stack.service(app);
          await stack.end(app, 'stop');
          expect(() => process.kill(pid, 0)).toThrow();
          return ended;
        }),
      );
      expect(ends).toEqual([
        'cert-manager ended with exit code 0',
        'check-monitor ended with exit code 0',
        'dummy-ca ended with exit code 0',
      ]);
    });
  });
});
