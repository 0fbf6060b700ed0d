import { readFileSync } from 'node:fs';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { type Holder, openTestApp, type TestApp } from '../support/app.js';

/** A script of docs/sql, as one transaction. */
function script(name: string): string {
  const text = readFileSync(new URL(`../../../../../docs/sql/${name}`, import.meta.url), 'utf8');
  return text.replaceAll(' concurrently', '').replaceAll(/^(begin|commit);$/gm, '');
}

describeEachDialect('pings in partitions', (open, dialect) => {
  const onPostgres = dialect === 'postgres' ? test : test.skip; // SQLite has no partitions
  let app: TestApp;
  let ada: Holder;
  beforeAll(async () => {
    app = await openTestApp(open, { pingLimit: 3 });
    ada = await app.newProject();
  });
  afterAll(() => app.close());

  const run = (text: string) => app.database.transaction((tx) => tx.query(text));
  const monthsAhead = (months: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15));
  };
  /** Names of the partitions that hold pings of a check. */
  async function placesOf(uuid: string): Promise<string[]> {
    const text = `select distinct tableoid::regclass::text as place from pings
      where check_id = (select id from checks where uuid = '${uuid}') order by 1`;
    return (await run(text)).map(({ place }: { place: string }) => place);
  }
  async function numbersOf(check: { uuid: string }): Promise<number[]> {
    const { pings } = (await ada.get(`/checks/${check.uuid}/pings/`)).body;
    return pings.map(({ n }: { n: number }) => n);
  }
  const nameOf = (month: Date) => `pings_${month.toISOString().slice(0, 7).replace('-', '_')}`;

  onPostgres('are taken, shown and cleared as ever, and go with their month', async () => {
    app.clock.set(monthsAhead(0));
    const check = await ada.check({ timeout: 3600 });
    await ada.ping(check);
    await run(script('partition-pings.sql'));
    for (let time = 0; time < 2; time += 1) await run(script('maintain-pings.sql'));
    // the index that was made beside the service is the one of the partition: none was built while pings waited
    const indexes = `select indexrelid::regclass::text as name from pg_index
      where indrelid = 'pings_before'::regclass`;
    expect(await run(indexes)).toEqual([{ name: 'ix_pings_before' }]);

    // the process knows the check from before
    await ada.ping(check, '/fail');
    app.clock.set(monthsAhead(1));
    await ada.ping(check);
    // no one made that month
    app.clock.set(monthsAhead(9));
    await ada.ping(check);
    expect(await placesOf(check.uuid)).toEqual([nameOf(monthsAhead(1)), 'pings_before', 'pings_default']);
    expect(await numbersOf(check)).toEqual([4, 3, 2]);

    await run('drop table pings_before');
    await ada.ping(check);
    expect(await numbersOf(check)).toEqual([5, 4, 3]);
    for (let n = 6; n <= 200; n += 1) await ada.ping(check);
    expect(await placesOf(check.uuid)).toEqual(['pings_default']);
    await ada.delete(`/checks/${check.uuid}`).expect(200);
    expect(await run('select 1 from pings')).toEqual([]);

    const [past, recent] = [nameOf(monthsAhead(-4)), nameOf(monthsAhead(-3))];
    // as if they had been made in their time
    await run(`create table ${past} partition of pings for values from (-2) to (-1)`);
    await run(`create table ${recent} partition of pings for values from (-1) to (0)`);
    await run(script('maintain-pings.sql'));
    const [found] = await run(`select to_regclass('${past}') as past, to_regclass('${recent}') as recent`);
    expect(found).toEqual({ past: null, recent });
  });

  onPostgres('are upgraded where they lie', async () => {
    const check = await ada.check();
    for (let n = 1; n <= 5; n += 1) await ada.ping(check);
    const place = schema.migrations.findIndex(({ name }) => name === '0007-ring-of-pings');
    for (const _ of schema.migrations.slice(place)) await app.database.revertLast();
    await app.database.migrate();
    // this process stayed alive, which none does while its database is migrated
    await ada.post(`/checks/${check.uuid}`, { name: 'upgraded' }).expect(200);
    expect(await numbersOf(check)).toEqual([5, 4, 3]);
    await ada.ping(check);
    expect(await numbersOf(check)).toEqual([6, 5, 4]);
  });
});
