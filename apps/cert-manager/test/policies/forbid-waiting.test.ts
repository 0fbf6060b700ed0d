import type { AllowedNames, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TestApp } from '../support/app.js';
import { auditEntries, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from '../support/renewals.js';
import { configure, countOpenRequests, fqdnWithCsr } from '../support/signing.js';

const allowedNames: AllowedNames = {
  names: [],
  suffixes: ['allowed.test'],
  wildcards: false,
  cidrs: [],
  beyondFqdn: false,
};
const reason = expect.stringContaining('www.example.org is not allowed');

describeEachDialect('a call of a CA that the policy of the space forbids while it waits', (open) => {
  let place: RenewalPlace;
  let app: TestApp;
  beforeAll(async () => {
    place = await startRenewing(open);
    ({ app } = place);
    const { ca, providerId: id } = place;
    await configure(app, { id }, { baseUrl: ca.url, validityDays: 30, maxConcurrency: 1 }).expect(200);
  });
  afterEach(() => clearInventory(app));
  afterAll(() => place.close());

  const sign = (fqdn: Fqdn) =>
    app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId: place.providerId });
  const forbid = (fqdn: Fqdn) =>
    app.request
      .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
      .set(app.people.ada.auth)
      .send({ allowedNames, confirmed: true })
      .expect(200);
  const written = () => countOpenRequests(app);
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
  };

  /** What comes of the work for an FQDN that is forbidden while another call has the only place at the CA. */
  async function forbiddenInWait<T>(
    fqdn: Fqdn,
    work: () => PromiseLike<T>,
    isWaiting: () => Promise<boolean>,
  ): Promise<{ readonly result: T; readonly asked: number }> {
    const { ca } = place;
    const { fqdn: first } = await fqdnWithCsr(app);
    const before = ca.validityDays.length;
    ca.answer('when let go');
    const ahead = sign(first).then(({ status }) => status);
    await until(async () => ca.validityDays.length > before);
    const waiting = Promise.resolve(work());
    await until(isWaiting);
    await forbid(fqdn);
    ca.answer('normally');
    expect(await ca.letGoUntil(ahead)).toBe(200);
    return { result: await waiting, asked: ca.validityDays.length - before - 1 };
  }

  test('is rejected when its turn comes: csr/sign calls no CA and writes an audit entry', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    const bothWait = async () => (await written()) === 2;
    const { result, asked } = await forbiddenInWait(fqdn, () => sign(fqdn), bothWait);
    expect(result.status).toBe(400);
    expect(result.body).toMatchObject({ code: 'name_not_allowed', detail: reason });
    expect(asked).toBe(0);
    expect(await certificatesOf(app, fqdn)).toEqual([]);
    // the CA is not asked later either
    expect(await written()).toBe(0);
    const entries = (await auditEntries(app, 'csr.sign')).filter(
      ({ details }) => details['fqdnId'] === fqdn.id,
    );
    expect(entries).toMatchObject([{ outcome: 'failure', details: { code: 'name_not_allowed', reason } }]);
  });

  test('is rejected when its turn comes: a renewal fails with the reason', async () => {
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    let looks = 0;
    // between the claim and the wait are a few statements
    const isWaiting = async () => {
      if ((await entriesOf(app, fqdn))[0]?.status === 'processing') looks += 1;
      return looks > 20;
    };
    const { result, asked } = await forbiddenInWait(fqdn, () => app.renew(), isWaiting);
    expect(result.failed).toEqual([expect.objectContaining({ fqdn: fqdn.fqdn, reason })]);
    expect(asked).toBe(0);
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
  });

  test('is not recorded beforehand, and other calls at the same time are', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    const { fqdn: other } = await fqdnWithCsr(app);
    await forbid(fqdn);
    const replies = await Promise.all([fqdn, other].map((one) => sign(one).then(({ status }) => status)));
    expect(replies).toEqual([400, 200]);
    expect([await written(), await certificatesOf(app, fqdn)]).toEqual([0, []]);
    expect(await certificatesOf(app, other)).toHaveLength(1);
  });
});
