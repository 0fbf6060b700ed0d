import type { Provider } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { orderingByHttp } from '../support/acme/scripted-acme.js';
import { addCsr } from '../support/inventory.js';
import { clearInventory, signWith } from '../support/renewals.js';
import { configure, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

const hour = 3_600_000;

describeEachDialect('a CA that refuses other contact addresses', (open) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, {});
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  const useContact = async (...contactEmails: string[]) => {
    const provider = await providerOf(place.app, 'acme');
    await configure(place.app, provider, { ...orderingByHttp(place.acme), contactEmails }).expect(200);
  };
  const issue = async () => {
    const { id: providerId } = await providerOf(place.app, 'acme');
    const { fqdn } = await fqdnWithCsr(place.app);
    await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
    expect((await signWith({ ...place, providerId }, fqdn)).body).toMatchObject({ success: true });
  };
  const get = (path: string) => place.app.request.get(path).set(place.app.people.ada.auth).expect(200);
  const shown = async () => {
    const all = (await get('/providers?include=usage')).body as Provider[];
    return all.find(({ name }) => name === 'acme')?.contactRefused;
  };
  const tested = async (): Promise<string> => {
    const { id } = await providerOf(place.app, 'acme');
    const asked = place.app.request.post(`/providers/${id}/test`).set(place.app.people.ada.auth);
    return (await asked.send({}).expect(200)).body.message;
  };
  const accountAsks = () => place.acme.asks.filter((ask) => ask === 'newAccount').length;

  test('still issues; the refusal is shown, and the CA is asked again daily', async () => {
    await issue();
    expect(await shown()).toBeUndefined();
    await useContact('ada@example.org');
    const refused = { status: 403, problem: 'unauthorized', detail: 'no changes here' };
    place.acme.script('newAccount', refused);
    await issue();
    const at = place.app.clock.now().toISOString();
    expect(await shown()).toEqual({ at, message: 'no changes here' });
    expect(await tested()).toMatch(
      /the account is known, but .*\(ada@example\.org\): no changes here; orders go on/,
    );
    const before = accountAsks();
    place.app.clock.advance(23 * hour);
    await issue();
    expect(accountAsks()).toBe(before);
    place.app.clock.advance(2 * hour);
    place.acme.script('newAccount', refused);
    await issue();
    expect(accountAsks()).toBe(before + 1);
    expect((await shown())?.at).toBe(place.app.clock.now().toISOString());
    // other addresses are news
    await useContact('bob@example.org');
    await issue();
    expect(accountAsks()).toBe(before + 2);
    expect(await shown()).toBeUndefined();
    expect(await tested()).toMatch(/the account is known(?:;|$)/);
    const logged = place.app.logged().filter(({ event }) => event === 'acme.contact_not_updated');
    expect(logged).toHaveLength(2);
  });
});
