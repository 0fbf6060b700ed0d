import { buildCsr, csrLabels, formatPem, generateKeyPair, parsePem } from '@certloop/crypto';
import { expect, test } from '@jest/globals';
import {
  addFqdn,
  awaitHeartbeat,
  dummyCaProvider,
  judgeCertificate,
  makeCsr,
  makeSpace,
  signCsr,
  uploadCsr,
} from '../src/main-job.js';
import { describeStack } from './running-stack.js';

describeStack('the main job', (running) => {
  test('a CSR goes up, its certificate comes back, and the heartbeat is seen', async () => {
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
    expect((await awaitHeartbeat(clients, 20_000)).status).toBe('up');
  });

  test('every kind of key that the manager takes is signed', async () => {
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

  test('a CSR with a broken signature is refused, and nothing is stored', async () => {
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
});
