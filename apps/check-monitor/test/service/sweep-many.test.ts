import { randomUUID } from 'node:crypto';
import { column, executeSql, querySql, type Tx } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { stretchExcess } from '@certloop/server/testing';
import { expect, test } from 'vitest';
import { insertChannel } from '../../src/channels/channels.repository.js';
import { createSealer } from '../../src/channels/seal-stored.service.js';
import { pruneAfter } from '../../src/pings/prune-alerts.service.js';
import { openAlertStage } from '../support/alerts.js';
import { insertUpChecks } from '../support/factories.js';

const logger = createLogger({ service: 'check-monitor', level: 'silent' });

describeEachDialect('turns for everything else', (open) => {
  const stage = openAlertStage(open);
  const write = (text: string) => stage.app.database.transaction((tx) => executeSql(tx, text));
  const countRows = (text: string) => stage.app.database.read((tx) => executeSql(tx, text));

  /** The longest stretch of the work, if it is too long each time; `prepare` comes before it and is not measured. */
  const excessOf = (work: () => Promise<unknown>, prepare: () => Promise<unknown>) =>
    stretchExcess(50, work, async () => {
      await prepare();
      // the first commit after it checkpoints what was inserted
      await write('update checks set name = name where 1 = 0');
    });

  test('come while 2,000 integrations that are stored in clear are encrypted', async () => {
    const { database, sealing, accounts } = stage.app;
    const call = { method: 'POST', url: 'https://hook.example', headers: { Authorization: 'very-secret' } };
    const { projectId } = stage.ada.keys;
    const insert = async (tx: Tx) => {
      for (let n = 0; n < 2_000; n += 1) {
        const names = { uuid: randomUUID(), kind: 'webhook', name: 'bulk', createdAt: 1, verifiedAt: 1 };
        await insertChannel(tx, { ...names, projectId, settings: { down: call, up: null } });
      }
    };
    const inClear = "select 1 from channels where cast(settings as text) like '%very-secret%'";
    let round = async (): Promise<void> => undefined;
    const prepare = async () => {
      await write('delete from channels');
      await write('delete from encryption_canaries');
      sealing.hasBegun = false;
      round = createSealer({ db: database, clock: accounts.clock, logger }, sealing);
      await database.transaction(insert);
      expect(await countRows(inClear)).toBe(2_000);
      // it waits for six rounds, in case a process of an earlier version is connected
      for (let n = 0; n < 5; n += 1) await round();
    };
    expect(await excessOf(() => round(), prepare)).toBeUndefined();
    expect(await countRows(inClear)).toBe(0);
  });

  test('come while the alerts of 2,000 checks are deleted whose turn comes at once', async () => {
    const { app, ada } = stage;
    const hook = await stage.webhook();
    await insertUpChecks(app, ada.keys.projectId, 2_000);
    const isPostgres = app.database.dialect.name === 'postgres';
    const uuid = isPostgres
      ? 'gen_random_uuid()'
      : "'00000000-0000-4000-8000-' || printf('%012x', c.id * 100 + n)";
    const numbers =
      'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10)';
    const prepare = async () => {
      await write('delete from pings');
      await write(`insert into pings (check_id, slot, n, at, signal, scheme, method, user_agent)
        select id, 1, 1, 2, 'success', 'http', 'GET', '' from checks`);
      await write(`${numbers} insert into flips (check_id, at, old_status, new_status, reason, processed_at)
        select id, 1, 'up', 'down', 'fail', 1 from checks cross join numbers`);
      await write(`${numbers} insert into notifications
        (delivery_id, channel_id, check_id, status, attempt, created_at, settled_at)
        select ${uuid}, ${hook.id}, c.id, 'down', 1, 1, 1 from checks c cross join numbers`);
    };
    const checks = await app.database.read((tx) =>
      querySql(tx, { id: column.key() }, 'select id from checks'),
    );
    const at = app.accounts.clock.now();
    // the number of a ping decides whether it is the turn of its check
    const pings = checks.map(({ id }) => ({ checkId: id, n: 100 - (id % 100), at }));
    const prune = async () =>
      expect((await pruneAfter({ db: app.database, logger }, pings)).size).toBe(checks.length);
    expect(await excessOf(prune, prepare)).toBeUndefined();
    for (const table of ['flips', 'notifications']) expect(await countRows(`select 1 from ${table}`)).toBe(0);
  });

  test('come while the moments of 2,000 checks and messages are pulled back that a wrong clock stored', async () => {
    const { app, ada } = stage;
    const hook = await stage.webhook();
    await insertUpChecks(app, ada.keys.projectId, 2_000);
    const isPostgres = app.database.dialect.name === 'postgres';
    const uuid = isPostgres ? 'gen_random_uuid()' : "'00000000-0000-4000-8000-' || printf('%012x', id)";
    const now = app.accounts.clock.now();
    const far = now + 200 * 86_400_000_000;
    const prepare = async () => {
      await write('delete from notifications');
      await write(`insert into notifications
        (delivery_id, channel_id, check_id, status, attempt, created_at, due_at)
        select ${uuid}, ${hook.id}, id, 'down', 1, 1, ${far} from checks`);
      await write(
        `update check_states set last_ping = ${far}, alert_after = ${far}, revision = revision + 1`,
      );
    };
    expect(await excessOf(app.pullBack, prepare)).toBeUndefined();
    expect(await countRows(`select 1 from notifications where due_at > ${now}`)).toBe(0);
    expect(await countRows(`select 1 from check_states where last_ping > ${now}`)).toBe(0);
  });
});
