import { expect, test } from 'vitest';
import { claimFlips } from '../../src/flips/flips.repository.js';
import { insertUpChecks } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

const second = 1000;

function openGate(): { readonly passed: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describeMonitor('alert loop', (stage) => {
  const checkOf = async ({ uuid }: { uuid: string }) => (await stage.ada.get(`/checks/${uuid}`)).body;
  const flipsOf = async ({ uuid }: { uuid: string }, query = '') =>
    (await stage.ada.get(`/checks/${uuid}/flips/${query}`).expect(200)).body;

  test('dates the flip of a silent check at its deadline, not at its evaluation', async () => {
    const made = await stage.ada.check({ timeout: 600, grace: 120 });
    await stage.ada.ping(made);
    stage.app.clock.advance(600 * second);
    await stage.app.tick();
    expect((await checkOf(made)).status).toBe('grace');
    stage.app.clock.advance(500 * second);
    expect(await checkOf(made)).toMatchObject({ status: 'down', next_ping: '2026-01-01T12:10:00+00:00' });
    await stage.app.tick();
    expect(await checkOf(made)).toMatchObject({ status: 'down', next_ping: null });
    expect(await flipsOf(made)).toEqual([
      { timestamp: '2026-01-01T12:12:00+00:00', up: 0 },
      { timestamp: '2026-01-01T12:00:00+00:00', up: 1 },
    ]);
  });

  test('creates no second flip at the next evaluation', async () => {
    const made = await stage.ada.check({ timeout: 60, grace: 60 });
    await stage.ada.ping(made);
    stage.app.clock.advance(3600 * second);
    await Promise.all([stage.app.tick(), stage.app.tick(), stage.app.tick()]);
    expect(await flipsOf(made)).toHaveLength(2);
  });

  test('postpones the deadline after a ping in time', async () => {
    const made = await stage.ada.check({ timeout: 600, grace: 120 });
    await stage.ada.ping(made);
    stage.app.clock.advance(650 * second);
    await stage.ada.ping(made);
    stage.app.clock.advance(100 * second);
    await stage.app.tick();
    expect((await checkOf(made)).status).toBe('up');
    expect(await flipsOf(made)).toHaveLength(1);
  });

  test('follows a ping that makes the deadline earlier, and the ping after it', async () => {
    const made = await stage.ada.check({ timeout: 7200, grace: 60 });
    await stage.ada.ping(made);
    await stage.ada.ping(made, '/start');
    stage.app.clock.advance(30 * second);
    await stage.ada.ping(made);
    stage.app.clock.advance(60 * second);
    await stage.app.tick();
    expect((await checkOf(made)).status).toBe('up');
    stage.app.clock.advance(7201 * second);
    await stage.app.tick();
    expect((await checkOf(made)).next_ping).toBeNull();
    expect((await flipsOf(made))[0]).toEqual({ timestamp: '2026-01-01T14:01:30+00:00', up: 0 });
  });

  test('marks a check as down when a run outlasts its grace, and as up at its end', async () => {
    const made = await stage.ada.check({ timeout: 3600, grace: 60 });
    await stage.ada.ping(made, '/start');
    stage.app.clock.advance(90 * second);
    await stage.app.tick();
    expect(await checkOf(made)).toMatchObject({ status: 'down', started: true });
    await stage.ada.ping(made);
    expect(await checkOf(made)).toMatchObject({ status: 'up', last_duration: 90 });
    expect((await flipsOf(made)).map(({ up }: { up: number }) => up)).toEqual([1, 0]);
  });

  test('marks a cron check as down by its schedule in its zone', async () => {
    const made = await stage.ada.check({ schedule: '0 15 * * *', tz: 'Europe/Riga', grace: 60 });
    await stage.ada.ping(made);
    expect((await checkOf(made)).next_ping).toBe('2026-01-01T13:00:00+00:00');
    stage.app.clock.advance(3660 * second + 1);
    await stage.app.tick();
    expect((await flipsOf(made))[0]).toEqual({ timestamp: '2026-01-01T13:01:00+00:00', up: 0 });
  });

  test('marks more checks than one batch as down in one round', async () => {
    await insertUpChecks(stage.app, stage.ada.keys.projectId, 250);
    stage.app.clock.advance(86_400 * second + 3600 * second + 1);
    await stage.app.tick();
    const { checks } = (await stage.ada.get('/checks/')).body;
    expect(checks).toHaveLength(250);
    expect(checks.every(({ next_ping }: { next_ping: string | null }) => next_ping === null)).toBe(true);
  });

  test('marks a check as down once, even with several processes', async () => {
    const others = await Promise.all([stage.app.openAnother(), stage.app.openAnother()]);
    await insertUpChecks(stage.app, stage.ada.keys.projectId, 150);
    stage.app.clock.advance(86_400 * second + 3600 * second + 1);
    await Promise.all([stage.app, ...others].map(({ tick }) => tick()));
    const { checks } = (await stage.ada.get('/checks/')).body;
    for (const { uuid } of checks) expect(await flipsOf({ uuid })).toHaveLength(1);
    await Promise.all(others.map(({ close }) => close()));
  });

  test('delays a flip while another process handles an earlier one of its check', async () => {
    const { database, tick } = stage.app;
    await tick();
    const made = await stage.ada.check();
    await stage.ada.ping(made, '/fail');
    await stage.ada.ping(made);
    const take = (max: number, work = () => Promise.resolve()) =>
      database.transaction(async (tx) => {
        const taken = await claimFlips(tx, 0, max);
        await work();
        return taken.map(({ newStatus }) => newStatus);
      });
    const [hasTaken, mayEnd] = [openGate(), openGate()];
    const first = take(1, () => {
      hasTaken.open();
      return mayEnd.passed;
    });
    await hasTaken.passed;
    const meanwhile = take(100);
    // a writer of SQLite is alone: the second one begins when the first has ended
    const isServer = database.dialect.name === 'postgres';
    if (isServer) await meanwhile;
    mayEnd.open();
    expect(await Promise.all([first, meanwhile])).toEqual([['down'], isServer ? [] : ['up']]);
    expect(await take(100)).toEqual(isServer ? ['up'] : []);
  });

  test('lists flips by window, and by unique key', async () => {
    const made = await stage.ada.check();
    await stage.ada.ping(made);
    stage.app.clock.advance(10 * second);
    await stage.ada.ping(made, '/fail');
    const noon = Date.UTC(2026, 0, 1, 12) / 1000;
    expect(await flipsOf(made, `?start=${noon + 1}`)).toMatchObject([{ up: 0 }]);
    expect(await flipsOf(made, `?end=${noon + 10}`)).toMatchObject([{ up: 1 }]);
    expect(await flipsOf(made, '?seconds=5')).toMatchObject([{ up: 0 }]);
    expect(await flipsOf(made, '?end=0')).toEqual([]);
    const uniqueKey = (await stage.ada.peek(`/checks/${made.uuid}`)).body.unique_key;
    expect((await stage.ada.peek(`/checks/${uniqueKey}/flips/`)).body).toHaveLength(2);
  });

  test('rejects an invalid window, after it checks the owner', async () => {
    const { uuid } = await stage.ada.check();
    const { body } = await stage.ada.get(`/checks/${uuid}/flips/?start=x`).expect(400);
    expect(body.error).toContain('start must be a whole number');
    await stage.ben.get(`/checks/${uuid}/flips/?start=x`).expect(403);
    await stage.ada.get(`/checks/${'a'.repeat(40)}/flips/?start=x`).expect(404);
  });

  test('versions 1 and 2 list flips within an object', async () => {
    const { uuid } = await stage.ada.check();
    for (const version of [1, 2]) {
      await stage.ada.get(`/api/v${version}/checks/${uuid}/flips/`).expect(200, { flips: [] });
    }
    await stage.ada.get(`/checks/${uuid}/flips`).expect(200, []);
  });
});
