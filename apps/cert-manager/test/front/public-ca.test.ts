import { generateKeyPairSync } from 'node:crypto';
import { renewalIdOf } from '@certloop/acme-server/rules';
import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { parseCertificate, parsePemBlocks } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { addAcmeClient } from '../support/front/acme-clients.js';
import { listenTo } from '../support/front/front-place.js';
import { addSpace } from '../support/inventory.js';

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const hour = 3_600_000;

describeEachDialect('a public CA behind ACME clients', (open) => {
  let place: OrderingPlace;
  let listener: Awaited<ReturnType<typeof listenTo>>;
  beforeAll(async () => {
    place = await startOrdering(open, {});
    listener = await listenTo(place.app);
  });
  afterAll(async () => {
    await listener.close();
    await place.close();
  });

  /** Starts a program without storage: it registers anew, and orders. */
  const start = async (client: Awaited<ReturnType<typeof addAcmeClient>>, name: string, key = newKey()) => {
    const program = new AcmeClient(listener.base);
    await program.register({ externalAccountBinding: program.binding(client) });
    const placed = await program.order(dnsIdentifiers(name));
    if (placed.status !== 201) return placed;
    return program.finalize(placed.body, key);
  };
  const newClient = async () => {
    const { id } = await addSpace(place.app);
    return addAcmeClient(place.app, id, { providerId: place.acmeId });
  };

  test('sees one order of a client that restarts again and again with its key', async () => {
    const client = await newClient();
    const key = newKey();
    const before = place.acme.orders.length;
    for (let restarts = 0; restarts < 8; restarts += 1) {
      expect((await start(client, 'same.example.com', key)).body).toMatchObject({ status: 'valid' });
      place.app.clock.advance(hour);
    }
    expect(place.acme.orders.length - before).toBe(1);
  });

  test('sees five orders a week of a client that makes a key at each start', async () => {
    const client = await newClient();
    const before = place.acme.orders.length;
    const statuses: number[] = [];
    let last: Awaited<ReturnType<typeof start>> | undefined;
    for (let restarts = 0; restarts < 7; restarts += 1) {
      last = await start(client, 'other.example.com');
      statuses.push(last.status);
      place.app.clock.advance(hour);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(place.acme.orders.length - before).toBe(5);
    expect(last?.body).toMatchObject({ type: 'urn:ietf:params:acme:error:rateLimited' });
    expect(last?.headers.get('retry-after')).toBe(String((7 * 24 - 6) * 3600));
    place.app.clock.advance((7 * 24 - 7) * hour);
    expect((await start(client, 'other.example.com')).status).toBe(200);
  });

  test('decides the window of renewalInfo, and is asked again after hours only', async () => {
    const program = new AcmeClient(listener.base);
    const client = await newClient();
    await program.register({ externalAccountBinding: program.binding(client) });
    const { pem } = await program.issue(dnsIdentifiers('window.example.com'));
    const certificate = parseCertificate(parsePemBlocks(pem)[0]?.der ?? Buffer.alloc(0));
    const at = (hours: number) => new Date(place.app.clock.now().getTime() + hours * hour).toISOString();
    const suggestedWindow = { start: at(24), end: at(48) };
    place.acme.script('renewalInfo', { status: 200, body: { suggestedWindow } });
    const read = async () => {
      const answer = await fetch(`${listener.base}/acme/renewal-info/${renewalIdOf(certificate)}`);
      return (await answer.json()) as object;
    };
    expect(await read()).toMatchObject({ suggestedWindow });
    const asked = place.acme.asks.filter((ask) => ask === 'renewalInfo').length;
    expect(await read()).toMatchObject({ suggestedWindow });
    expect(place.acme.asks.filter((ask) => ask === 'renewalInfo').length).toBe(asked);
  });
});
