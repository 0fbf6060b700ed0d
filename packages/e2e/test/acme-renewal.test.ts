import { expect, test } from '@jest/globals';
import { judgeCertificate } from '../src/main-job.js';
import { answeringAtOnePort, awaitCertificates, placeWithCsr, request, useAcme } from './acme-place.js';
import { describeStack } from './running-stack.js';

describeStack(
  'orders by ACME',
  (running) => {
    test('are placed, proven and renewed without the key of the CSR', async () => {
      const { clients } = running();
      const provider = await useAcme(running());
      const { place, csrPem } = await placeWithCsr(clients, 'shop.example.test');
      const first = await request(clients, place);
      expect(first).toMatchObject({ success: true, stepStatus: { challenges: { status: 'ok' } } });
      await judgeCertificate(clients, first.certificate?.pem ?? '', csrPem);
      expect((await clients.manager.testProvider({ params: { id: provider }, body: {} })).body).toEqual({
        success: true,
        message: 'the directory is sound and hands out nonces; the account is known',
      });
      const entry = { certificateId: first.certificate?.id ?? '', ...place, minutesFromNow: 0 };
      await clients.manager.createTestRenewal({ body: entry });
      await clients.manager.triggerRenewals({});
      const renewed = await awaitCertificates(clients, place, 2);
      const facts = await judgeCertificate(clients, renewed[1]?.pem ?? '', csrPem);
      expect(facts.dnsNames).toEqual(['shop.example.test']);
    });

    test('go on with another account when the CA has lost its memory', async () => {
      const { clients, stack } = running();
      await useAcme(running());
      const { place, csrPem } = await placeWithCsr(clients, 'lost.example.test');
      expect(await request(clients, place)).toMatchObject({ success: true });
      await stack.end('dummy-ca', 'kill');
      await stack.start('dummy-ca');
      const again = await request(clients, place, true);
      expect(again).toMatchObject({ success: true });
      await judgeCertificate(clients, again.certificate?.pem ?? '', csrPem);
    });
  },
  answeringAtOnePort,
);
