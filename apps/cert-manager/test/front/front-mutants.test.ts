import { dnsIdentifiers, requestMutants, sampleRequests, sendMutants } from '@certloop/acme-server/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FrontPlace, startFront } from '../support/front/front-place.js';

// 1 sends every mutant, for some minutes
const every = Number(process.env['CERTLOOP_EVERY_MUTANT'] ?? '41');

describeEachDialect('changed requests of an ACME client', (open) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterAll(() => place.close());

  test('are answered without a 5xx, and harm no other request', async () => {
    const { client, program } = await place.addProgram({ maxOrdersPerDay: 10_000, maxAccounts: 10_000 });
    const issued = await program.issue(dnsIdentifiers('www.example.com'));
    const { headers, body: order } = await program.order(dnsIdentifiers('a.example.com', 'b.example.com'));
    const ready = { url: headers.get('location') ?? '', order };
    const externalAccountBinding = program.binding(client);
    const samples = await sampleRequests(program, { ready, issued, externalAccountBinding });
    const mutants = samples.flatMap((sample) => requestMutants(program, sample));
    const report = await sendMutants(mutants, every);
    expect(report.failed).toEqual([]);
    expect(report.refused).toBeGreaterThan(report.sent / 2);
    expect(place.app.logged().filter(({ level }) => level === 'error')).toEqual([]);
    // the program's own key may have been changed
    const later = await (await place.register(client)).issue(dnsIdentifiers('later.example.com'));
    expect(later.order.status).toBe('valid');
  });
});
