import { randomUUID } from 'node:crypto';
import type { Tx } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AcmeClientRow } from '../../src/acme-clients/acme-client.js';
import { findAcmeClientByKid } from '../../src/acme-clients/acme-clients.repository.js';
import type { OrderedName } from '../../src/acme-clients/client-names.js';
import { findRefusedNames } from '../../src/acme-clients/judge-names.service.js';
import { holdNames } from '../../src/fqdns/holders/name-holders.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { addAcmeClient, withKeys } from '../support/front/acme-clients.js';
import { addFqdn, addSpace } from '../support/inventory.js';

describeEachDialect('names of an order, judged with what other spaces hold', (open) => {
  let app: TestApp;
  let client: AcmeClientRow;
  let held: string;
  beforeAll(async () => {
    app = await startApp(open, { environment: withKeys });
    const [holder, asking] = [await addSpace(app), await addSpace(app)];
    const fqdn = await addFqdn(app, holder.id, `${randomUUID()}.example.com`);
    held = fqdn.fqdn;
    await app.database.transaction((tx) => holdNames(tx, [fqdn], app.clock.now()));
    const { kid } = await addAcmeClient(app, asking.id, {
      names: { suffixes: ['example.com'], cidrs: ['10.0.0.0/8'] },
    });
    client = (await app.database.read((tx) => findAcmeClientByKid(tx, kid))) as AcmeClientRow;
  });
  afterAll(() => app.close());

  const dns = (value: string): OrderedName => ({ type: 'dns', value });
  const judge = (...names: OrderedName[]) =>
    app.database.transaction(async (tx) => {
      const statements = recordStatements(tx);
      const refused = await findRefusedNames(tx, client, names);
      return { statements: statements(), refused };
    });
  const setPolicy = (suffixes: readonly string[]) => {
    const allowedNames = { names: [], suffixes, wildcards: false, cidrs: [], beyondFqdn: true };
    const put = app.request.put(`/spaces/${client.spaceId}/issuance-policy`).set(app.people.ada.auth);
    return put.send({ allowedNames, confirmed: true }).expect(200);
  };

  test('are refused by one sentence and by the same statements, whatever the reason', async () => {
    const reasons = {
      'it is among its names': dns('free.example.com'),
      'it is not among its names': dns('free.example.org'),
      'another space holds it': dns(held),
      'another space holds the domain': dns(`below.${held}`),
      'it is a wildcard': dns('*.example.com'),
      'it is no host name': dns('under_score.example.com'),
    };
    const { statements: usual, refused: none } = await judge(reasons['it is among its names']);
    expect(none).toEqual([]);
    expect(usual.length).toBeGreaterThanOrEqual(2);
    for (const [reason, name] of Object.entries(reasons).slice(1)) {
      const { statements, refused } = await judge(name);
      const message = `this client may not have ${name.value}; administrators of its space can change that`;
      expect({ reason, refused }).toEqual({ reason, refused: [{ name, message }] });
      // a wildcard also stands for the names directly below its domain, which are read for it alone
      const isWildcard = name.value.startsWith('*');
      expect({ reason, statements: statements.slice(0, usual.length) }).toEqual({
        reason,
        statements: usual,
      });
      expect(statements).toHaveLength(usual.length + (isWildcard ? 1 : 0));
    }
  });

  test('are allowed, also those that another space holds, by a policy of their own space', async () => {
    const names = [dns(held), dns(`below.${held}`), dns('free.example.com'), dns('free.example.org')];
    const refusedOf = async () => (await judge(...names)).refused.map(({ name }) => name);
    expect(await refusedOf()).toEqual([names[0], names[1], names[3]]);
    await setPolicy(['example.com']);
    expect(await refusedOf()).toEqual([names[3]]);
    await setPolicy(['free.example.com']);
    expect(await refusedOf()).toEqual([names[0], names[1], names[3]]);
  });
});

/** Returns the texts of the statements that the transaction executes from now on. */
function recordStatements({ queryRunner: runner }: Tx): () => readonly string[] {
  if (runner === undefined) throw new Error('a transaction has a query runner');
  const texts: string[] = [];
  const query = runner.query.bind(runner) as typeof runner.query;
  runner.query = ((text: string, values?: unknown[], isStructured?: boolean) => {
    texts.push(text);
    return isStructured === true ? query(text, values, true) : query(text, values);
  }) as typeof runner.query;
  return () => {
    runner.query = query;
    return texts;
  };
}
