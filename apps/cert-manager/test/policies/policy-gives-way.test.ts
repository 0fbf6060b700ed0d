import type { IssuancePolicyChange } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApp } from '../support/app.js';
import { type Caller, callBeside } from '../support/ask-beside.js';
import { addSpace, pathOf } from '../support/inventory.js';
import { seedLargePlace } from '../support/large-place.js';
import { fqdnWithCsr, providerOf, startAppWithCa } from '../support/signing.js';

describeEachDialect('an issuance policy for very many FQDNs', (open, dialect) => {
  // PostgreSQL works in another process: there it is enough that they are read in several slices
  const count = dialect === 'sqlite' ? 100_000 : 6_000;
  let app: TestApp;
  let caller: Caller;
  let close: () => Promise<void>;
  let path: string;

  beforeAll(async () => {
    ({ app, close } = await startAppWithCa(open));
    caller = await callBeside(app);
    const { fqdn, space } = await fqdnWithCsr(app, 'www.example.test');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    path = `/spaces/${space.id}/issuance-policy`;
    // what runs for the first time is compiled first
    await put('?dryRun=true', allowed);
    await seedLargePlace(app.database, { fqdnId: fqdn.id, count, own: 1, entries: 0 });
    // the first commit after it writes all of that back from the log
    await addSpace(app);
  });
  afterAll(async () => {
    caller.close();
    await close();
  });

  // copies of an FQDN have its CSR, whose name is not theirs
  const allowed = { names: [], suffixes: ['example.test'], wildcards: false, cidrs: [], beyondFqdn: true };
  const own = { ...allowed, beyondFqdn: false };

  async function put(query: string, allowedNames: object, more: object = {}): Promise<IssuancePolicyChange> {
    const { text } = await caller.askBeside('PUT', `${path}${query}`, { allowedNames, ...more });
    return JSON.parse(text) as IssuancePolicyChange;
  }

  test('is tested and saved without blocking other requests', async () => {
    expect(await put('', allowed)).toMatchObject({ saved: true, newlyRefused: { count: 0 } });
    const tried = await put('?dryRun=true', own);
    expect(tried).toMatchObject({ saved: false, newlyRefused: { count: count - 1 } });
    expect(tried.newlyRefused.items).toHaveLength(100);
  });
});
