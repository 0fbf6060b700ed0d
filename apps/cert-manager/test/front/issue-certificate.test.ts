import { X509Certificate } from 'node:crypto';
import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FrontPlace, startFront } from '../support/front/front-place.js';
import { auditEntries } from '../support/inventory.js';

describeEachDialect('an order of an ACME client', (open) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterAll(() => place.close());

  test('goes from newAccount to the download of its certificate', async () => {
    const client = await place.addClient();
    const program = new AcmeClient(place.base);
    const registered = await program.register({
      contact: ['mailto:ops@example.com'],
      externalAccountBinding: program.binding(client),
    });
    expect(registered.status).toBe(201);
    expect(registered.body).toMatchObject({ status: 'valid', contact: ['mailto:ops@example.com'] });
    const placed = await program.order(dnsIdentifiers('www.example.com', 'example.com'));
    expect(placed.status).toBe(201);
    expect(placed.body).toMatchObject({
      status: 'ready',
      authorizations: [expect.any(String), expect.any(String)],
    });
    const authorization = await program.post<{ status: string }>(placed.body.authorizations[0] ?? '');
    expect(authorization.body).toMatchObject({
      status: 'valid',
      identifier: { type: 'dns', value: 'www.example.com' },
    });
    const finalized = await program.finalize(placed.body);
    expect(finalized.body).toMatchObject({ status: 'valid', certificate: expect.any(String) });
    const download = await program.post(finalized.body.certificate ?? '');
    expect(download.headers.get('content-type')).toBe('application/pem-certificate-chain');
    const [leaf, root, ...others] = download.text.split(/(?<=-----END CERTIFICATE-----\n)/);
    expect(others).toEqual([]);
    expect(new X509Certificate(leaf ?? '').subjectAltName).toBe('DNS:www.example.com, DNS:example.com');
    // certbot refuses a chain of one certificate
    expect(root).toBe(place.ca.rootPem());
    const [issued] = (await auditEntries(place.app, 'certificate.issue')).slice(-1);
    expect(issued).toMatchObject({ username: `acme:${client.name}`, spaceId: client.spaceId });
    expect(place.app.logged().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
