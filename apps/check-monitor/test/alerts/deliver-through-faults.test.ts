import type { ServerResponse } from 'node:http';
import { hangMs } from '@certloop/contracts/testing';
import { column, executeSql, querySql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test, vi } from 'vitest';
import { openAlertStage } from '../support/alerts.js';
import { insertUpChecks } from '../support/factories.js';
import { faultRounds, reportFault } from '../support/fault-table.js';

vi.setConfig({ testTimeout: hangMs * faultRounds, hookTimeout: hangMs * faultRounds });

const second = 1000;
const hour = 3600 * second;

describeEachDialect('pending alerts during a fault of the receiver', (open) => {
  const stage = openAlertStage(open, { digestPerMinute: 0, slowMs: 1000 });
  const { channel, webhook, fail } = stage;
  const rounds = Array.from({ length: faultRounds }, (_, round) => round);
  const database = () => stage.app.database.dialect.name;

  /** Delivers until nothing is open, and moves the clock to the next moment at which something is due. */
  async function deliverAll(): Promise<void> {
    const { app } = stage;
    for (let step = 0; step < 3000; step += 1) {
      await app.deliver();
      const text = `select min(case when coalesce(c.held_until, 0) > coalesce(n.due_at, 0)
        then c.held_until else n.due_at end) as next, count(*) as open
        from notifications n join channels c on c.id = n.channel_id where n.settled_at is null`;
      const columns = { next: column.bigint().nullable(), open: column.bigint() };
      const [row] = await app.database.read((tx) => querySql(tx, columns, text));
      if (row === undefined || row.open === 0) return;
      app.clock.advance(Math.max(1, Math.ceil((row.next ?? 0) / 1000) - app.clock.now().getTime()));
    }
    throw new Error('messages are still open');
  }

  interface Arrivals {
    readonly names: readonly string[];
    readonly latest: number;
  }

  function expectAll(fault: string, sent: number, { names, latest }: Arrivals, from: number): void {
    const arrived = new Set(names).size;
    const lateSeconds = Math.max(0, (latest - from) / second);
    reportFault({
      fault,
      database: database(),
      sent,
      arrived,
      lateSeconds,
      repeated: names.length - arrived,
    });
    expect(arrived).toBe(sent);
  }

  test.each([
    ['10 s', 10 * second, 35],
    ['1 h', hour, 2 * 3600],
  ])('a target that is unavailable for %s gets each message when it is back', async (spell, away, atMost) => {
    const { app, target } = stage;
    await webhook();
    for (const round of rounds) {
      const names: string[] = [];
      const from = app.clock.now().getTime();
      let latest = from;
      target.answer((response, { body }) => {
        const now = app.clock.now().getTime();
        if (now < from + away) return response.writeHead(503).end();
        names.push(body);
        latest = now;
        return response.end();
      });
      for (let n = 0; n < 5; n += 1) await fail(`${round} ${n}`);
      await deliverAll();
      expectAll(`target away for ${spell}`, 5, { names, latest }, from);
      expect((latest - from) / second).toBeLessThanOrEqual(atMost);
    }
  });

  test('a mail server that is unavailable for an hour gets each mail when it is back', async () => {
    const { app, mailbox } = stage;
    for (const round of rounds) {
      const mail = await channel('email', { address: `ada${round}@example.org` });
      const from = app.clock.now().getTime();
      mailbox.refuse(421, '4.3.0 away');
      for (let n = 0; n < 3; n += 1) await fail(`${round} ${n}`, mail.uuid);
      for (; app.clock.now().getTime() < from + hour; app.clock.advance(300 * second)) await app.deliver();
      mailbox.refuse(undefined);
      await deliverAll();
      const names = mailbox.mails.map(({ messageId }) => messageId ?? '');
      const latest = app.clock.now().getTime();
      expectAll('mail server away for 1 h', 3, { names, latest }, from);
      mailbox.reset();
    }
  });

  test('a burst of messages passes a limit of ten a second', async () => {
    const { app, ada, target } = stage;
    const storm = faultRounds > 2 ? 500 : 200;
    const { projectId } = ada.keys;
    const call = { method: 'POST', url: `${target.url}/hook`, body: '$CODE' };
    await channel('webhook', { down: call });
    for (const _ of rounds) {
      const names: string[] = [];
      await insertUpChecks(app, projectId, storm);
      const assign = `insert into check_channels (check_id, channel_id)
        select c.id, i.id from checks c join channels i on i.project_id = c.project_id where c.project_id = $1`;
      await app.database.transaction((tx) => executeSql(tx, assign, [projectId]));
      app.clock.advance(26 * hour);
      const from = app.clock.now().getTime();
      let latest = from;
      const perSecond = new Map<number, number>();
      target.answer((response, { body }) => {
        const now = app.clock.now().getTime();
        const moment = Math.floor(now / second);
        const count = (perSecond.get(moment) ?? 0) + 1;
        perSecond.set(moment, count);
        if (count > 10) return response.writeHead(429, { 'Retry-After': '1' }).end();
        names.push(body);
        latest = now;
        return response.end();
      });
      await app.tick();
      await deliverAll();
      expectAll(`429 in a storm of ${storm}`, storm, { names, latest }, from);
      await app.database.transaction((tx) => executeSql(tx, 'delete from checks'));
    }
  });

  test('two targets that hang do not delay a working one, and get their messages when they respond', async () => {
    const { app, target } = stage;
    const hanging = [await webhook('/one'), await webhook('/two')];
    const good = await webhook('/good');
    for (const round of rounds) {
      const held = new Map<string, ServerResponse>();
      const names: string[] = [];
      let doesHang = true;
      let arrival = 0;
      // the three requests are sent together, in no promised order
      const reached = new Promise<void>((resolve) => {
        target.answer((response, { path, body }) => {
          if (doesHang && path !== '/good') held.set(path, response);
          else {
            names.push(`${path} ${body}`);
            response.end();
            if (path === '/good') arrival = performance.now();
          }
          if (arrival > 0 && held.size === hanging.length) resolve();
        });
      });
      for (const { uuid } of hanging) for (let n = 0; n < 4; n += 1) await fail(`${round} ${n}`, uuid);
      await fail(`${round} good`, good.uuid);
      const began = performance.now();
      await app.pump();
      await reached;
      reportFault({
        fault: 'two targets hang: messages to a third, which works',
        database: database(),
        sent: 1,
        arrived: 1,
        lateSeconds: (arrival - began) / second,
        repeated: 0,
      });
      doesHang = false;
      for (const response of held.values()) response.destroy();
      const from = app.clock.now().getTime();
      await deliverAll();
      const latest = app.clock.now().getTime();
      expectAll('two targets hang: messages to all three', 9, { names, latest }, from);
    }
  });

  test('a full disk causes no duplicate and no loss', async () => {
    const { app, target } = stage;
    // on PostgreSQL the server decides what it does then
    if (database() === 'postgres') return;
    await webhook();
    for (const round of rounds) {
      const names: string[] = [];
      const from = app.clock.now().getTime();
      const pages = { page_count: column.bigint() };
      let isFull = false;
      let lifted: Promise<unknown> | undefined;
      target.answer((response, { body }) => {
        names.push(body);
        const fill = async () => {
          if (isFull) return;
          isFull = true;
          await app.database.transaction(async (tx) => {
            const [row] = await querySql(tx, pages, 'select page_count from pragma_page_count');
            await querySql(tx, pages, `pragma max_page_count = ${row?.page_count ?? 1}`);
            await executeSql(tx, 'create table if not exists ballast (filler text)');
          });
          const fillUp = () =>
            app.database.transaction((tx) =>
              executeSql(tx, `insert into ballast values ('${'x'.repeat(4_000_000)}')`),
            );
          await expect(fillUp()).rejects.toThrow(/full/);
          const lift = () =>
            app.database.transaction((tx) => querySql(tx, pages, 'pragma max_page_count = 1000000'));
          lifted = new Promise((resolve) => setTimeout(resolve, 1500)).then(lift);
        };
        void fill().finally(() => response.end());
      });
      for (let n = 0; n < 3; n += 1) await fail(`${round} ${n}`);
      await deliverAll();
      const latest = app.clock.now().getTime();
      await lifted;
      expectAll('disk full for 1.5 s', 3, { names, latest }, from);
    }
  });
});
