import { type AppError, createDummyCaClient, dummyCaContract } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCa } from '../support/app.js';
import { csrField } from '../support/csrs.js';
import { type Served, serve } from '../support/served.js';

let served: Served;
beforeAll(async () => {
  served = await serve((await startCa()).http);
});
afterAll(() => served.close());

describe('every endpoint of the contract', () => {
  test('responds to the typed client as documented', async () => {
    const client = createDummyCaClient({ baseUrl: served.url });
    const { body: issued } = await client.signCsr({ body: { csr: csrField(), action: 'sign' } });
    const { body: record } = await client.getCertificate({ params: { id: issued.id } });
    expect(record.certificate).toBe(issued.certificate);
    const { body: root } = await client.getRoot();
    expect(root).toContain('BEGIN CERTIFICATE');
    const { body: health } = await client.getHealth();
    const bodies = { signCsr: issued, getCertificate: record, getHealth: health };
    for (const [name, body] of Object.entries(bodies)) {
      const { schema } = dummyCaContract[name as keyof typeof bodies].responses[200];
      expect(schema.parse(body)).toEqual(body);
    }
  });

  test.each([
    ['signCsr', { body: { csr: 'x', action: 'sign' as const } }, 400],
    ['getCertificate', { params: { id: 'x' } }, 404],
  ] as const)('%s rejects the typed client with a sentence', async (operation, input, status) => {
    const client = createDummyCaClient({ baseUrl: served.url });
    const call = client[operation] as (given: object) => Promise<unknown>;
    const refusal = (await call(input).catch((error: unknown) => error)) as AppError;
    expect(refusal.status).toBe(status);
    expect(refusal.message).toMatch(/csr is not Base64|no certificate/);
  });
});
