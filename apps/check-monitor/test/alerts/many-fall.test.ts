import { column, executeSql, querySql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { stretchExcess } from '@certloop/server/testing';
import { expect, test } from 'vitest';
import { openAlertStage } from '../support/alerts.js';
import { insertUpChecks } from '../support/factories.js';

const day = 24 * 3600 * 1000;

describeEachDialect('checks that go down at the same time', (open) => {
  const stage = openAlertStage(open);

  /** Checks that notify all channels and whose pings have not come for days. */
  async function insertOverdue(count: number): Promise<void> {
    const { app, ada } = stage;
    const { projectId } = ada.keys;
    await insertUpChecks(app, projectId, count);
    const assign = `insert into check_channels (check_id, channel_id) select c.id, x.id from checks c
      join channels x on x.project_id = c.project_id where c.project_id = $1
      on conflict do nothing`;
    await app.database.transaction((tx) => executeSql(tx, assign, [projectId]));
    app.clock.advance(3 * day);
  }

  /** Inserts so many copies of each waiting message. */
  async function copyMessages(count: number): Promise<void> {
    const { database } = stage.app;
    const uuid =
      database.dialect.name === 'postgres'
        ? 'gen_random_uuid()'
        : "'00000000-0000-4000-8000-' || printf('%012x', notifications.id * 1000 + n)";
    const copy = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      insert into notifications (delivery_id, channel_id, check_id, status, attempt, created_at)
      select ${uuid}, channel_id, check_id, status, attempt, created_at from notifications cross join numbers
      where settled_at is null`;
    await database.transaction((tx) => executeSql(tx, copy));
    // the first commit after it checkpoints all of this
    await database.transaction((tx) => executeSql(tx, 'update checks set name = name where 1 = 0'));
  }

  test('are marked as down with turns for everything else in between', async () => {
    const hook = await stage.webhook();
    expect(await stretchExcess(50, stage.app.tick, () => insertOverdue(5_000))).toBeUndefined();
    expect(await stage.log(hook)).toHaveLength(1_000);
  });

  test('expire with turns for everything else in between, if their channel accepts nothing for a day', async () => {
    const { app } = stage;
    const hook = await stage.webhook();
    const prepare = async () => {
      await insertOverdue(500);
      await app.tick();
      await copyMessages(40);
      const hold = 'update channels set held_until = $1 where id = $2';
      const until = app.accounts.clock.now() + 9 * day * 1_000;
      await app.database.transaction((tx) => executeSql(tx, hold, [until, hook.id]));
      app.clock.advance(2 * day);
    };
    expect(await stretchExcess(50, app.deliver, prepare)).toBeUndefined();
    const open = 'select 1 from notifications where channel_id = $1 and settled_at is null';
    expect(await app.database.read((tx) => executeSql(tx, open, [hook.id]))).toBe(0);
    expect(stage.mailbox.mails).toHaveLength(1);
  });

  test('reach the webhook once each, and the chat as single messages and one digest', async () => {
    const { app, ada, target } = stage;
    const [hook, chat] = [await stage.webhook(), await stage.channel('slack', { url: `${target.url}/chat` })];
    // more than a digest names, which is 500
    const count = 2_000;
    await insertOverdue(count);
    const others = await ada.check({ name: 'Others' });
    // its first success is a flip, and a digest waits for flips that have no messages yet
    await ada.ping(others);
    const pings: Promise<void>[] = [];
    target.answer((response, _request, number) => {
      if (number % 50 === 0) pings.push(ada.ping(others));
      response.end();
    });
    await app.tick();
    await app.deliver();
    await Promise.all(pings);
    expect(pings.length).toBeGreaterThanOrEqual(count / 50);
    const keysOf = (path: string) =>
      target.requests
        .filter((request) => request.path === path)
        .map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keysOf('/hook')).size).toBe(count);
    expect(keysOf('/hook')).toHaveLength(count);
    const chatted = target.requests.filter(({ path }) => path === '/chat');
    // fewer than 20 where a slow machine puts the rest of a turn back
    const singles = chatted.filter(({ body }) => !body.includes('more checks are DOWN')).length;
    expect(singles).toBeLessThanOrEqual(20);
    expect(chatted).toHaveLength(singles + 1);
    expect(chatted.at(-1)?.body).toContain(`${count - singles} more checks are DOWN`);
    const text = `select count(*) as open from notifications where settled_at is null and channel_id in ($1, $2)`;
    const [row] = await app.database.read((tx) =>
      querySql(tx, { open: column.bigint() }, text, [hook.id, chat.id]),
    );
    expect(row).toEqual({ open: 0 });
  });
});
