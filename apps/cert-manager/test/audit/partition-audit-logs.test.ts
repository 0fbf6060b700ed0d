import { readFileSync } from 'node:fs';
import type { AuditLogsPage } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtInCaller } from '../../src/access/caller.js';
import { recordAudit } from '../../src/audit/audit.service.js';
import { startApp, type TestApp } from '../support/app.js';

/** A script of docs/sql, as one transaction. */
function script(name: string): string {
  const text = readFileSync(new URL(`../../../../../docs/sql/${name}`, import.meta.url), 'utf8');
  return text.replaceAll(' concurrently', '').replaceAll(/^(begin|commit);$/gm, '');
}

describeEachDialect('an audit log in partitions', (open, dialect) => {
  const onPostgres = dialect === 'postgres' ? test : test.skip;
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const run = (text: string) => app.database.transaction((tx) => tx.query(text));
  const asAda = () => app.people.ada.auth;
  const monthsAhead = (months: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15));
  };
  async function list(query = ''): Promise<AuditLogsPage> {
    return (await app.request.get(`/audit-logs?${query}`).set(asAda()).expect(200)).body as AuditLogsPage;
  }
  const record = (month: Date) => {
    const caller = builtInCaller('cli', { requestId: 'test', ipAddress: '192.0.2.7', userAgent: 'agent' });
    const entry = { action: 'audit.test', resourceType: 'audit-log' } as const;
    return app.database.transaction((tx) => recordAudit(tx, caller, entry, month));
  };
  const seqsOf = ({ logs }: AuditLogsPage) => logs.map(({ seq }) => seq);
  const nameOf = (month: Date) => `audit_logs_${month.toISOString().slice(0, 7).replace('-', '_')}`;

  onPostgres('is written, listed and filtered as ever, and loses its oldest months', async () => {
    await record(monthsAhead(-1));
    await record(monthsAhead(0));
    await run(script('partition-audit-logs.sql'));
    for (let time = 0; time < 2; time += 1) await run(script('maintain-audit-logs.sql'));
    await record(monthsAhead(1));
    // no one made that month
    await record(monthsAhead(9));
    const places = 'select distinct tableoid::regclass::text as place from audit_logs order by 1';
    expect((await run(places)).map(({ place }: { place: string }) => place)).toEqual([
      nameOf(monthsAhead(1)),
      'audit_logs_before',
      'audit_logs_default',
    ]);
    const whole = await list();
    expect(whole.total).toBe(4);
    expect(seqsOf(whole)).toEqual(seqsOf(whole).toSorted((one = 0, other = 0) => other - one));
    const month = `from=${monthsAhead(1).toISOString()}&to=${monthsAhead(2).toISOString()}`;
    expect(await list(month)).toMatchObject({ total: 1, logs: [{ seq: whole.logs[1]?.seq }] });

    await run('drop table audit_logs_before');
    expect(seqsOf(await list())).toEqual(seqsOf(whole).slice(0, 2));
    expect((await list()).total).toBe(2);
    await app.request.delete('/audit-logs').set(asAda()).expect(200);
    expect(await list()).toMatchObject({ total: 0 });
    await record(monthsAhead(1));
    expect((await list()).total).toBe(1);

    const [past, recent] = [nameOf(monthsAhead(-25)), nameOf(monthsAhead(-24))];
    // as if they had been made in their time
    const range = (from: string, to: string) => `for values from ('${from}') to ('${to}')`;
    await run(`create table ${past} partition of audit_logs ${range('2001-01-01', '2001-02-01')}`);
    await run(`create table ${recent} partition of audit_logs ${range('2001-02-01', '2001-03-01')}`);
    await run(script('maintain-audit-logs.sql'));
    const [found] = await run(`select to_regclass('${past}') as past, to_regclass('${recent}') as recent`);
    expect(found).toEqual({ past: null, recent });
  });
});
