import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { csrField, rsa } from '../support/csrs.js';
import { names, type PublicCa, startPublicCa } from '../support/public-ca.js';

let ca: PublicCa;
beforeAll(async () => {
  const DUMMY_CA_FAULTS = '[{"fault":"status","status":503,"endpoint":"newOrder","times":1}]';
  ca = await startPublicCa({ environment: { DUMMY_CA_FAULTS } });
});
afterAll(() => ca.close());

test('counts issued and revoked certificates, orders, validations and faults', async () => {
  await ca.sign({ csr: csrField({ keys: rsa() }) });
  const client = await ca.acmeClient();
  expect((await client.order(names)).status).toBe(503);
  const { pem } = await client.issue(names);
  await ca.revoke(new X509Certificate(pem).serialNumber, 'superseded');
  await client.order(names);
  const lines = (await ca.get('/metrics')).toString().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'dummy_ca_certificates_issued_total{way="csr",key="RSA"} 1',
      'dummy_ca_certificates_issued_total{way="acme",key="ECDSA"} 1',
      'dummy_ca_certificates_kept 2',
      'dummy_ca_revocations_total{issuer="intermediate",reason="superseded"} 1',
      'dummy_ca_acme_orders_total{outcome="placed"} 2',
      'dummy_ca_acme_orders_total{outcome="issued"} 1',
      'dummy_ca_acme_challenges_total{type="http-01",outcome="valid"} 1',
      'dummy_ca_faults_total{fault="status",endpoint="newOrder"} 1',
      'http_request_duration_seconds_count{method="POST",route="/acme/new-order",status="503"} 1',
    ]),
  );
});
