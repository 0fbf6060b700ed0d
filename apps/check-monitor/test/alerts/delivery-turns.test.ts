import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { until } from '@certloop/contracts/testing';
import { DatabaseUnavailable, executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test, vi } from 'vitest';
import { type Claimed, claimTurns } from '../../src/alerts/claim-turns.repository.js';
import {
  insertNotifications,
  settleNotifications,
} from '../../src/notifications/notifications.repository.js';
import { openAlertStage } from '../support/alerts.js';
import { openTestApp } from '../support/app.js';

const second = 1000;
const minute = 60 * second;

describeEachDialect('a database that is unavailable when a message is read', (open) => {
  /** Which of the next reads fails, counted from 1; none at 0. */
  let failing = 0;
  const stage = openAlertStage(async (schema) => {
    const { database, ...rest } = await open(schema);
    const read: typeof database.read = (work) => {
      if (failing === 0) return database.read(work);
      failing -= 1;
      if (failing > 0) return database.read(work);
      return Promise.reject(new DatabaseUnavailable('the connection was lost'));
    };
    return { ...rest, database: { ...database, read } };
  });

  test('does not count an attempt, and does not delay the message by 30 s', async () => {
    const hook = await stage.webhook();
    await stage.fail();
    // the first one looks for messages that have waited for too long
    failing = 2;
    await stage.app.deliver();
    expect(failing).toBe(0);
    expect(stage.target.requests).toHaveLength(1);
    expect(await stage.log(hook)).toMatchObject([{ crashes: null, tries: null, error: null }]);
  });

  test('leaves what has arrived before an unexpected error recorded', async () => {
    const { app, target } = stage;
    const chat = await stage.channel('slack', { url: `${target.url}/chat` });
    const broken = await stage.webhook('/broken');
    const createdAt = app.accounts.clock.now();
    const notice = { deliveryId: randomUUID(), channelId: chat.id, aboutChannelId: broken.id } as const;
    await app.database.transaction((tx) =>
      insertNotifications(tx, [{ ...notice, status: 'down', createdAt }]),
    );
    await stage.fail('Backup', chat.uuid);
    const { send } = app.notifier;
    const spy = vi.spyOn(app.notifier, 'send').mockImplementation((channel, content) => {
      return 'event' in content ? Promise.reject(new Error('a defect')) : send(channel, content);
    });
    await app.deliver();
    expect(spy).toHaveBeenCalledTimes(2);
    spy.mockRestore();
    expect(target.requests).toHaveLength(1);
    const settled = 'delete from notifications where about_channel_id is not null and settled_at is not null';
    expect(await app.database.transaction((tx) => executeSql(tx, settled))).toBe(1);
  });
});

/** Whether a transaction has claimed something. */
function isClaim(result: unknown): boolean {
  return ((result as Partial<Claimed> | undefined)?.turns ?? []).length > 0;
}

describeEachDialect('a claim whose response is lost', (open) => {
  let isLosing = false;
  const stage = openAlertStage(async (schema) => {
    const { database, ...rest } = await open(schema);
    const transaction: typeof database.transaction = async (work) => {
      const result = await database.transaction(work);
      if (!isLosing || !isClaim(result)) return result;
      isLosing = false;
      throw new DatabaseUnavailable('the connection was lost');
    };
    return { ...rest, database: { ...database, transaction } };
  });

  test('does not count a crash, and does not delay the message by the 30 s of its lease', async () => {
    const hook = await stage.webhook();
    await stage.fail();
    isLosing = true;
    await expect(stage.app.deliver()).rejects.toThrow('the connection was lost');
    expect(isLosing).toBe(false);
    expect(stage.target.requests).toEqual([]);
    await stage.app.deliver();
    expect(stage.target.requests).toHaveLength(1);
    expect(await stage.log(hook)).toMatchObject([{ crashes: null, tries: null, error: null }]);
  });
});

describeEachDialect('a shutdown during a claim', (open) => {
  /** Resolves the claim that has committed. */
  let goOn: (() => void) | undefined;
  let isHeld = false;
  const stage = openAlertStage(async (schema) => {
    const { database, ...rest } = await open(schema);
    const transaction: typeof database.transaction = async (work) => {
      const result = await database.transaction(work);
      if (!isHeld || !isClaim(result)) return result;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return result;
    };
    return { ...rest, database: { ...database, transaction } };
  });

  test('waits for the claim, and releases the claimed messages', async () => {
    const hook = await stage.webhook();
    await stage.fail();
    isHeld = true;
    const pumped = stage.app.pump();
    while (goOn === undefined) await new Promise((resolve) => setImmediate(resolve));
    let isStopped = false;
    const stopped = stage.app.stop().then(() => {
      isStopped = true;
    });
    // a stop that does not wait has ended by then
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    goOn();
    await stopped;
    expect(await stage.log(hook)).toMatchObject([{ turnId: null, leaseUntil: null, crashes: null }]);
    await pumped;
    expect(stage.target.requests).toEqual([]);
  });
});

describeEachDialect('the messages of a turn', (open) => {
  const counts = { reads: 0, writes: 0 };
  const stage = openAlertStage(async (schema) => {
    const { database, ...rest } = await open(schema);
    const read: typeof database.read = (work) => {
      counts.reads += 1;
      return database.read(work);
    };
    const transaction: typeof database.transaction = (work) => {
      counts.writes += 1;
      return database.transaction(work);
    };
    return { ...rest, database: { ...database, read, transaction } };
  });

  test('are read together and recorded together', async () => {
    const hook = await stage.webhook();
    for (let n = 0; n < 10; n += 1) await stage.fail(`check ${n}`);
    Object.assign(counts, { reads: 0, writes: 0 });
    await stage.app.deliver();
    expect(await stage.log(hook)).toHaveLength(10);
    // the other ones look for what waits and claim
    expect(counts.reads).toBeLessThan(5);
    expect(counts.writes).toBeLessThan(7);
  });
});

describeEachDialect('delivery turns', (open) => {
  const stage = openAlertStage(open, { slowMs: 1000 });
  const { webhook, read, log, fail, answer } = stage;

  /** A worker in another process takes what waits and dies. */
  async function die() {
    const own = { newTurnId: randomUUID, ownTurns: new Set<string>() };
    const facts = { lease: 30_000_000, limit: 10, ...own, digestPerMinute: 20 };
    const now = stage.app.accounts.clock.now();
    const claim = await stage.app.database.transaction((tx) => claimTurns(tx, { now, ...facts }));
    return claim.turns;
  }
  const keys = () => stage.target.requests.map(({ headers }) => headers['idempotency-key']);

  test('retry a message whose worker died after 30 s, 1, 5, 15 min, then every hour', async () => {
    const { app, target } = stage;
    const hook = await webhook();
    await fail();
    const [message] = await log(hook);
    for (const pause of [30 * second, minute, 5 * minute, 15 * minute, 60 * minute, 60 * minute]) {
      expect((await die()).flatMap(({ batches }) => batches)).toHaveLength(1);
      app.clock.advance(Math.max(pause - 1, 29_999));
      await app.deliver();
      expect(target.requests).toEqual([]);
      app.clock.advance(1);
    }
    await app.deliver();
    expect(keys()).toEqual([expect.stringMatching(`^${message?.deliveryId}-`)]);
    expect(await log(hook)).toMatchObject([{ crashes: 6, tries: null, error: null, attempt: 7 }]);
  });

  test('give up a message whose workers die after 24 hours, and show the channel as failing', async () => {
    const { app, target } = stage;
    const hook = await webhook();
    await fail();
    for (let hours = 0; hours < 26; hours += 1) {
      await die();
      app.clock.advance(60 * minute);
    }
    await die();
    app.clock.advance(minute);
    await app.deliver();
    await app.deliver();
    const error = 'its process ended each time that the message was sent';
    expect(await log(hook)).toMatchObject([{ error, settledAt: app.accounts.clock.now() }]);
    expect(await read(hook)).toMatchObject({ failingSince: expect.any(Number), lastError: error });
    expect(target.requests).toEqual([]);
  });

  test('ignore the results of a worker that continues after its lease', async () => {
    const { app } = stage;
    const hook = await webhook();
    await fail();
    const [turn] = await die();
    const rows = turn?.batches[0]?.rows ?? [];
    app.clock.advance(30 * second);
    const late = { error: 'late', settledAt: 1 };
    await app.deliver();
    expect(await app.database.transaction((tx) => settleNotifications(tx, rows, late))).toBe(false);
    expect(await log(hook)).toMatchObject([{ error: null }]);
  });

  test('deliver a message that killed two workers alone, and delay other messages no longer than that', async () => {
    const { app, target } = stage;
    const [bad, good] = [await webhook('/bad'), await webhook('/good')];
    await fail('one', bad.uuid);
    const twice = 'update notifications set crashes = 2 where channel_id = $1';
    await app.database.transaction((tx) => executeSql(tx, twice, [bad.id]));
    let inHand = 0;
    const together: Record<string, number> = {};
    target.answer((response, { path }) => {
      inHand += 1;
      setTimeout(() => {
        together[path] = Math.max(together[path] ?? 0, inHand);
        inHand -= 1;
        response.end();
      }, 50);
    });
    for (let n = 0; n < 12; n += 1) await fail(`check ${n}`, good.uuid);
    await app.deliver();
    expect(target.requests).toHaveLength(13);
    expect(together['/bad']).toBe(1);
  });

  test('abort calls at a shutdown, release the messages, and count no attempt', async () => {
    // longer than a test may take: a stop that waits for the call does not end
    const second = await openTestApp(open, {}, { timeoutMs: 600_000 });
    const { target } = stage;
    const ada = await second.newProject();
    const { createChannel } = await import('../../src/channels/create-channel.service.js');
    const settings = { down: { method: 'POST', url: `${target.url}/hangs` } };
    const wanted = { projectId: ada.keys.projectId, kind: 'webhook' as const, name: 'hook', settings };
    await createChannel(second.accounts, { ...wanted, isVerified: true });
    const arrived = new Promise<ServerResponse>((resolve) => target.answer(resolve));
    for (const name of ['one', 'two', 'three']) {
      const check = await ada.check({ name, channels: '*' });
      await ada.ping(check, '/fail');
    }
    await second.tick();
    await second.pump();
    const brokenOff = once(await arrived, 'close');
    await second.stop();
    await brokenOff;
    const untouched = `select 1 from notifications where settled_at is null and turn_id is null
      and lease_until is null and due_at is null and tries is null and crashes is null and error is null`;
    expect(await second.database.read((tx) => executeSql(tx, untouched))).toBe(3);
    await second.pump();
    expect(target.requests).toHaveLength(1);
    target.answer((response) => response.end());
    const next = await second.openAnother();
    await next.deliver();
    expect(target.requests).toHaveLength(4);
    await next.close();
    await second.close();
  });

  test('do not delay a working target while five others hang', async () => {
    const { app, target } = stage;
    const hanging = [];
    for (let n = 0; n < 5; n += 1) hanging.push(await webhook('/hangs'));
    const good = await webhook('/good');
    for (const { uuid } of hanging) for (const name of ['a', 'b', 'c', 'd']) await fail(name, uuid);
    await fail('good', good.uuid);
    const held: ServerResponse[] = [];
    const answered = new Promise<void>((resolve) => {
      target.answer((response, { path }) => {
        if (path === '/hangs') return void held.push(response);
        response.end();
        resolve();
      });
    });
    await app.pump();
    // all places are taken until a target is known to be slow; none of their calls ends before
    await answered;
    expect(held.every(({ destroyed }) => !destroyed)).toBe(true);
    for (const response of held) response.destroy();
    target.answer((response) => response.end());
    await app.deliver();
  });

  test('record what has arrived while a later message of the turn hangs', async () => {
    const { app, target } = stage;
    const hook = await webhook();
    for (const name of ['one', 'two', 'three']) await fail(name);
    const hanging = new Promise<ServerResponse>((resolve) => {
      target.answer((response, _request, number) => {
        if (number === 3) resolve(response);
        else response.end();
      });
    });
    await app.pump();
    const response = await hanging;
    const settled = async () => (await log(hook)).filter(({ settledAt }) => settledAt !== null);
    await until(async () => (await settled()).length === 2);
    expect(await settled()).toMatchObject([{ error: null }, { error: null }]);
    response.end();
    await app.deliver();
    expect(await settled()).toHaveLength(3);
    expect(target.requests).toHaveLength(3);
  });

  test('send the other messages if one cannot be built, and count a crash of that one alone', async () => {
    const { app, target } = stage;
    const hook = await webhook();
    const [, broken] = [await fail('one'), await fail('two'), await fail('three')];
    /** Dates end before the larger one, so that no text can be made of it. */
    const setLastPing = (micros: number) => {
      const text = `update check_states set last_ping = ${micros}, stored_status = 'paused'
        where check_id = (select id from checks where uuid = $1)`;
      return app.database.transaction((tx) => executeSql(tx, text, [broken.uuid]));
    };
    await setLastPing(9_000_000_000_000_000_000);
    await app.deliver();
    const sent = () => target.requests.map(({ body }) => body.split(' ')[0]);
    expect(sent()).toEqual(['one', 'three']);
    const settled = { settledAt: expect.any(Number), error: null, crashes: null };
    expect(await log(hook)).toMatchObject([settled, { settledAt: null, crashes: null }, settled]);
    app.clock.advance(30 * second);
    await app.deliver();
    expect(await log(hook)).toMatchObject([settled, { settledAt: null, crashes: 1 }, settled]);
    await setLastPing(app.accounts.clock.now());
    app.clock.advance(minute);
    await app.deliver();
    expect(sent()).toEqual(['one', 'three', 'two']);
  });

  test('give a channel at most two workers in all processes together', async () => {
    const { app } = stage;
    await webhook();
    for (let n = 0; n < 55; n += 1) await fail(`check ${n}`);
    const claims = [await die(), await die(), await die()];
    expect(claims.map((turns) => turns.map(({ batches }) => batches.length))).toEqual([[25], [25], []]);
    await app.database.transaction((tx) => executeSql(tx, 'delete from notifications'));
  });

  test('ignore a due time that a wrong clock wrote', async () => {
    const { app } = stage;
    const hook = await webhook();
    await fail();
    const far = app.accounts.clock.now() + 400 * 86_400_000_000;
    await app.database.transaction(async (tx) => {
      await executeSql(tx, 'update notifications set due_at = $1', [far]);
      await executeSql(tx, 'update channels set held_until = $1', [far]);
    });
    await app.deliver();
    expect(await log(hook)).toMatchObject([{ error: null, settledAt: app.accounts.clock.now() }]);
  });

  test('do not apply a result to a channel that has got new settings in the meantime', async () => {
    const { app, target } = stage;
    const chat = await stage.channel('slack', { url: `${target.url}/old` });
    await fail();
    const arrived = new Promise<ServerResponse>((resolve) => target.answer(resolve));
    const delivering = app.deliver();
    const response = await arrived;
    const settings = JSON.stringify({ url: `${target.url}/new` });
    const edit = 'update channels set settings = $1 where id = $2';
    await app.database.transaction((tx) => executeSql(tx, edit, [settings, chat.id]));
    response.writeHead(404).end();
    await delivering;
    expect(await read(chat)).toMatchObject({ disabledAt: null, lastError: null, failingSince: null });
    expect(await log(chat)).toMatchObject([{ error: 'Received status code 404' }]);
    answer(200);
  });
});
