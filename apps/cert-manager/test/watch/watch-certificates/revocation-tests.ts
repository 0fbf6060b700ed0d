import type { Fqdn } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { addCsr, pathOf } from '../../support/inventory.js';
import { certificatesOf, issuedFqdn, renewedFqdn, switchRenewal } from '../../support/renewals.js';
import { newCsr } from '../../support/signing.js';
import { day, type WatchStage } from './watch-stage.js';

/** Tests of what the monitor hears of revoked certificates. */
export function testRevocations(stage: WatchStage): void {
  const revokeNewest = async (fqdn: Fqdn, reason: string) => {
    const newest = (await certificatesOf(stage.app, fqdn)).at(-1);
    const path = pathOf(fqdn, `certificates/${newest?.id}/revoke`);
    await stage.app.request.post(path).set(stage.app.people.ada.auth).send({ reason }).expect(200);
    await stage.app.watch();
  };

  test('expects a success within 5 minutes after a revocation that a renewal follows', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    stage.app.clock.advance(day);
    await revokeNewest(fqdn, 'superseded');
    expect(stage.signals()).toEqual(['success', 'log']);
    expect(stage.lastBody()).toMatch(/^revoked \(superseded\): serial \w+; a new one is ordered at once$/);
    expect(stage.monitor.check().settings).toMatchObject({ timeout: day / 1000, grace: 300 });
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'log', 'success']);
    expect(stage.monitor.check().settings).toMatchObject({ grace: 86_400 });
  });

  test('marks a check as down at once if a key is compromised and there is no other CSR', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    await revokeNewest(fqdn, 'keyCompromise');
    expect(stage.signals()).toEqual(['success', 'fail']);
    expect(stage.lastBody()).toContain('revoked (keyCompromise)');
    await addCsr(stage.app, fqdn, await newCsr(fqdn.fqdn));
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'fail', 'success']);
  });

  test('begins with a failure for a revoked certificate', async () => {
    const fqdn = await issuedFqdn(stage.place);
    await revokeNewest(fqdn, 'superseded');
    stage.monitor.forget();
    await switchRenewal(stage.app, fqdn, true);
    await stage.app.watch();
    expect(stage.signals()).toEqual(['fail']);
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['fail', 'success']);
  });
}
