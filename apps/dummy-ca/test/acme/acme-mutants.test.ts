import { dnsIdentifiers, requestMutants, sampleRequests, sendMutants } from '@certloop/acme-server/testing';
import { expect, test } from 'vitest';
import { startAcme } from '../support/acme.js';

// 1 sends every mutant, for a minute
const every = Number(process.env['CERTLOOP_EVERY_MUTANT'] ?? '23');

test('no changed request of a client causes a 5xx', async () => {
  const acme = await startAcme();
  const client = await acme.client();
  const issued = await client.issue(dnsIdentifiers('www.a.test'));
  const { headers, body: order } = await client.order(dnsIdentifiers('a.test', 'b.test'));
  await client.prove(order, 'dns-01');
  const ready = { url: headers.get('location') ?? '', order };
  const samples = await sampleRequests(client, { ready, issued });
  const mutants = samples.flatMap((sample) => requestMutants(client, sample));
  const report = await sendMutants(mutants, every);
  expect(report.failed).toEqual([]);
  expect(report.refused).toBeGreaterThan(report.sent / 2);
  await acme.close();
});
