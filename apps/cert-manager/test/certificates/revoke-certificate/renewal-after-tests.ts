import { until } from '@certloop/contracts/testing';
import { expect, test } from 'vitest';
import { startAppOn } from '../../support/app.js';
import { serialOf } from '../../support/cas/fake-revocations.js';
import { addCsr, pathOf } from '../../support/inventory.js';
import {
  certificatesOf,
  explanationOf,
  openEntryOf,
  renewedFqdn,
  signWith,
  switchRenewal,
} from '../../support/renewals.js';
import { fqdnWithCsr, newCsr } from '../../support/signing.js';
import type { RevocationPlace } from './revocation-place.js';

/** Tests of what happens to an FQDN after a revocation. */
export function describeWhatFollows({ place, revoke, signed, newestOf }: RevocationPlace): void {
  test('is followed at once by a renewal that states the reason, if renewal is on', async () => {
    const fqdn = await renewedFqdn(place);
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    const now = place.app.clock.now().toISOString();
    expect((await openEntryOf(place.app, fqdn)).scheduledAt).toBe(now);
    expect(await explanationOf(place.app, fqdn)).toMatchObject({
      willRenew: true,
      outlook: 'due',
      message: `due since ${now}, because the certificate was revoked at ${now}`,
      certificate: { revokedAt: now },
      plan: { rule: 'revoked', renewAt: now },
    });
    await place.app.renew();
    const [revoked, next] = await certificatesOf(place.app, fqdn);
    expect([revoked?.revokedAt, next?.revokedAt]).toEqual([now, undefined]);
    expect(serialOf(next?.pem ?? '')).not.toBe(serialOf(revoked?.pem ?? ''));
    expect((await explanationOf(place.app, fqdn)).plan?.rule).toBe('two_thirds');
  });

  test('is followed at once by a renewal, even just after another renewal', async () => {
    const fqdn = await renewedFqdn(place);
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    await place.app.renew();
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    expect((await openEntryOf(place.app, fqdn)).scheduledAt).toBe(place.app.clock.now().toISOString());
    await place.app.renew();
    expect((await certificatesOf(place.app, fqdn)).map(({ revokedAt }) => revokedAt !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('for its key waits for a CSR with another key', async () => {
    const fqdn = await renewedFqdn(place);
    await revoke(fqdn, await newestOf(fqdn), 'keyCompromise').expect(200);
    expect(await explanationOf(place.app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'compromised_key',
      message: expect.stringContaining('upload a CSR with a new key'),
    });
    await place.app.renew();
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);
    await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
    await place.app.renew();
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(2);
  });

  test('causes no renewal if renewal is off, and the explanation says so', async () => {
    const { fqdn, certificate } = await signed();
    await revoke(fqdn, certificate).expect(200);
    expect(await explanationOf(place.app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'switched_off',
      message: expect.stringContaining('the newest certificate was revoked at'),
    });
    await switchRenewal(place.app, fqdn, true);
    expect((await openEntryOf(place.app, fqdn)).scheduledAt).toBe(place.app.clock.now().toISOString());
  });

  test('does not stop a running renewal, whose certificate is in use afterwards', async () => {
    const fqdn = await renewedFqdn(place);
    place.app.clock.set(new Date((await openEntryOf(place.app, fqdn)).scheduledAt));
    place.ca.answer('when let go');
    const renewal = place.app.renew();
    while ((await openEntryOf(place.app, fqdn)).status !== 'processing') {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    await place.ca.letGoUntil(renewal);
    expect((await certificatesOf(place.app, fqdn)).map(({ revokedAt }) => revokedAt !== undefined)).toEqual([
      true,
      false,
    ]);
    expect((await explanationOf(place.app, fqdn)).outlook).toBe('scheduled');
  });

  test('of the only certificate lets a new signing request obtain another one', async () => {
    const { fqdn, certificate } = await signed();
    await revoke(fqdn, certificate).expect(200);
    const { body } = await signWith(place, fqdn);
    expect(body.success).toBe(true);
    expect(serialOf(body.certificate)).not.toBe(serialOf(certificate.pem));
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(2);
  });

  test('while another process receives the same certificate makes that process request another', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    const other = await startAppOn(place.app.database, {
      beside: place.app,
      environment: { DUMMY_CA_URL: place.ca.url },
    });
    place.ca.answer('when let go');
    const before = place.ca.validityDays.length;
    const late = other.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(place.app.people.ada.auth)
      .send({ providerId: place.providerId })
      .then((reply) => reply);
    await until(() => place.ca.validityDays.length > before);
    place.ca.answer('normally');
    // the lease of the call that waits expires, so that this one takes over
    place.app.clock.advance(60_000);
    await signWith(place, fqdn);
    const first = await newestOf(fqdn);
    await revoke(fqdn, first).expect(200);
    // the same name of the request: the CA gives the revoked certificate
    place.ca.release();
    const { body } = await late;
    await other.close();
    expect(body.success).toBe(true);
    expect(serialOf(body.certificate)).not.toBe(serialOf(first.pem));
    expect((await certificatesOf(place.app, fqdn)).map(({ revokedAt }) => revokedAt !== undefined)).toEqual([
      true,
      false,
    ]);
  });
}
