import { expect, test } from 'vitest';
import { foreignCertificate } from '../../support/cas/foreign-ca.js';
import { addTarget, classesOf, newestOf, ownedFqdn, servedOf } from '../../support/monitor/served-place.js';
import { hour, type ProbePlace } from './probe-place.js';

// RSA comes first, unless the client has it not
const rsaFirst = 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';

/** Tests of what is at fault with a server. */
export function describeFaults(place: ProbePlace): void {
  const { listen, targetAt } = place;

  test('report an unreachable address after three failures in a row', async () => {
    const { app } = place;
    const { fqdn } = await ownedFqdn(place);
    await addTarget(app, fqdn, { host: '127.0.0.8', port: place.server.port, graceSeconds: 0 });
    const seen: (string | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) {
      await app.probe();
      const address = (await servedOf(app, fqdn)).targets[0]?.addresses[0];
      expect(address).toMatchObject({
        class: 'unreachable',
        stage: 'refused',
        failure: 'connection_refused',
      });
      seen.push(address?.failsAt);
      app.clock.advance(7 * hour);
    }
    expect(seen.map((moment) => moment !== undefined)).toEqual([false, false, true]);
  });

  test('request the key type of the expected certificate if another is served first', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const wanted = {
      dnsNames: ['www.example.org'],
      notBefore: app.clock.now(),
      notAfter: new Date('2026-05-01'),
    };
    const rsa = await foreignCertificate({ ...wanted, keyKind: 'RSA-2048' });
    const mine = await newestOf(app, owned);
    const both = await listen(
      {
        cert: [rsa.leafPem, mine.cert],
        key: [rsa.keyPem, mine.key],
        ciphers: rsaFirst,
        maxVersion: 'TLSv1.2',
        honorCipherOrder: true,
      },
      '127.0.0.4',
    );
    await targetAt(owned.fqdn, { host: '127.0.0.4' });
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.4': 'current' });
    expect(both.taken()).toBe(2);
  });

  test('report an expired certificate, and one that does not cover the name', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    place.server.reload(await newestOf(app, owned));
    await targetAt(owned.fqdn);
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'current' });
    app.clock.advance(31 * 24 * hour);
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'expired' });
    const other = await ownedFqdn(place, 'other.example.org');
    place.server.reload(await newestOf(app, other));
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'name_mismatch' });
  });
}
