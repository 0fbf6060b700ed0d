import { expect, test } from 'vitest';
import { addCsr, addFqdn } from '../../support/inventory.js';
import { moveToRenewal, renewedFqdn, signWith, switchRenewal } from '../../support/renewals.js';
import { newCsr } from '../../support/signing.js';
import { day, type WatchStage } from './watch-stage.js';

/** Tests of which FQDNs have a check, and of its end. */
export function testCheckLife(stage: WatchStage): void {
  test.each<[string, (spaceId: string, id: string) => string]>([
    ['the FQDN', (spaceId, id) => `/spaces/${spaceId}/fqdns/${id}`],
    ['the FQDNs of its space', (spaceId) => `/spaces/${spaceId}/fqdns`],
    ['every FQDN', () => '/fqdns?confirm=true'],
    ['its space', (spaceId) => `/spaces/${spaceId}?deleteFqdns=true`],
  ])('the check is deleted with %s', async (_, pathOfIt) => {
    const { id, spaceId } = await renewedFqdn(stage.place);
    await stage.app.watch();
    expect(stage.monitor.checks()).toHaveLength(1);
    await stage.app.request.delete(pathOfIt(spaceId, id)).set(stage.app.people.ada.auth).expect(200);
    await stage.app.watch();
    expect(stage.monitor.checks()).toEqual([]);
  });

  test('the check expects the expiry when renewal is switched off, and the renewal when it is on again', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    await moveToRenewal(stage.app, fqdn);
    stage.place.ca.answer('with a refusal');
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'fail']);
    await switchRenewal(stage.app, fqdn, false);
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'fail', 'success']);
    expect(stage.lastBody()).toMatch(/^watched: .*, no one renews it: /);
    await switchRenewal(stage.app, fqdn, true);
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'fail', 'success', 'success']);
    expect(stage.lastBody()).toMatch(/^watched: .*; to be renewed on /);
    await stage.app.renew();
    await stage.app.watch();
    stage.monitor.forget();
    stage.app.clock.advance(day);
    await stage.app.watch();
    expect(stage.monitor.check().pings).toEqual([
      { signal: 'fail', rid: expect.any(String), body: expect.stringMatching(/^renewal failed/) },
    ]);
  });

  test('the switch of a space deletes its checks and creates them again', async () => {
    const fqdn = await renewedFqdn(stage.place);
    const other = await renewedFqdn(stage.place, 'other.example.org');
    await stage.app.watch();
    expect(stage.monitor.checks()).toHaveLength(2);
    const put = (watchEnabled: boolean) =>
      stage.app.request
        .put(`/spaces/${fqdn.spaceId}/watch-enabled`)
        .set(stage.app.people.ada.auth)
        .send({ watchEnabled })
        .expect(200);
    await put(false);
    await stage.app.watch();
    expect(stage.monitor.check().settings['slug']).toBe(`certloop-fqdn-${other.id}`);
    await signWith(stage.place, fqdn);
    await stage.app.watch();
    expect(stage.monitor.checks()).toHaveLength(1);
    await put(true);
    await stage.app.watch();
    expect(stage.monitor.checks()).toHaveLength(2);
  });

  test('an FQDN in an unwatched space has no check', async () => {
    const { body: space } = await stage.app.request
      .post('/spaces')
      .set(stage.app.people.ada.auth)
      .send({ name: 'quiet', watchEnabled: false })
      .expect(201);
    const fqdn = await addFqdn(stage.app, space.id, 'quiet.example.org');
    await addCsr(stage.app, fqdn, await newCsr('quiet.example.org'));
    await switchRenewal(stage.app, fqdn, true);
    await signWith(stage.place, fqdn);
    await stage.app.watch();
    expect(stage.monitor.checks()).toEqual([]);
    expect(stage.monitor.asked.filter((line) => line !== 'GET /checks/')).toEqual([]);
  });

  test('equal names in two spaces have separate checks', async () => {
    await renewedFqdn(stage.place);
    await renewedFqdn(stage.place);
    await stage.app.watch();
    expect(new Set(stage.monitor.checks().map(({ settings }) => settings['slug'])).size).toBe(2);
  });
}
