import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createSteadyClock, type SteadyClock } from './steady-clock.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-03-01T12:00:00Z');

/** Clocks that a test moves: all of them by `pass`, the host's alone by `jump`. */
function fakeClocks(hasDatabase: boolean) {
  const state = { passed: 0, hostMs: 0, databaseMs: 0, isAway: false };
  const lines: string[] = [];
  const log = (_facts: object, event?: string) => void lines.push(event ?? '');
  const database = async () => {
    if (state.isAway) throw new Error('away');
    return start + state.passed + state.databaseMs;
  };
  const create = () =>
    createSteadyClock(
      {
        wall: () => start + state.passed + state.hostMs,
        monotonic: () => state.passed,
        database: hasDatabase ? database : undefined,
      },
      { info: log, warn: log } as unknown as Parameters<typeof createSteadyClock>[1],
    );
  return { state, lines, create };
}

let clocks: ReturnType<typeof fakeClocks>;
let clock: SteadyClock;
/** How far the clock is ahead of the true time. */
const ahead = () => clock.ms() - (start + clocks.state.passed);
const pass = async (ms: number) => {
  clocks.state.passed += ms;
  await clock.check();
};

describe('the clock of a service on SQLite', () => {
  beforeEach(async () => {
    clocks = fakeClocks(false);
    clock = clocks.create();
    await clock.check();
  });

  test.each([
    ['a day ahead', day],
    ['200 days ahead', 200 * day],
    ['a day behind', -day],
  ])('goes on while the host is %s for a minute, and says so', async (_, ms) => {
    clocks.state.hostMs = ms;
    await pass(second);
    expect(clock.read()).toMatchObject({ isSettled: false, jumps: 1 });
    expect(clock.fault()).toContain('no new work is begun');
    await pass(minute);
    expect(ahead()).toBe(0);
    clocks.state.hostMs = 0;
    await pass(second);
    expect([ahead(), clock.read().isSettled, clock.fault()]).toEqual([0, true, undefined]);
    expect(clocks.lines).toEqual(['clock.jumped', 'clock.settled']);
  });

  test('follows the host five minutes after a jump, as after a suspend of an hour', async () => {
    clocks.state.hostMs = hour;
    await pass(4 * minute);
    await pass(4 * minute);
    expect(clock.read().isSettled).toBe(false);
    await pass(minute);
    expect([ahead(), clock.read().isSettled]).toEqual([hour, true]);
  });

  test('follows the host at once if a CA confirms its time', async () => {
    clocks.state.hostMs = hour;
    await pass(second);
    clock.noteCaDate(new Date(start + clocks.state.passed + hour).toUTCString());
    expect([ahead(), clock.read().isSettled]).toEqual([hour, true]);
  });

  test('begins nothing for five minutes if a CA is hours away, and then only reports it', async () => {
    const date = () => new Date(start + clocks.state.passed - 3 * hour).toUTCString();
    clock.noteCaDate(date());
    await pass(minute);
    expect([clock.read().isSettled, ahead()]).toEqual([false, 0]);
    await pass(5 * minute);
    expect(clock.read().isSettled).toBe(true);
    clock.noteCaDate('no date');
    clock.noteCaDate(date());
    expect(clock.read()).toMatchObject({ isSettled: true, jumps: 1 });
    expect(clock.fault()).toContain('10800 s ahead of the one of a CA');
  });

  test('follows small changes at once, as those of a time service', async () => {
    clocks.state.hostMs = 3 * second;
    expect([ahead(), clock.read().isSettled]).toEqual([3 * second, true]);
  });

  test('does not depend on the zone of the host', async () => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    const spring = Date.parse('2026-03-29T00:59:00Z');
    await pass(spring - start);
    await pass(2 * minute);
    expect([ahead(), clock.read()]).toMatchObject([0, { isSettled: true, jumps: 0 }]);
    vi.unstubAllEnvs();
  });
});

describe('the clock of a service on PostgreSQL', () => {
  beforeEach(async () => {
    clocks = fakeClocks(true);
    clock = clocks.create();
    await clock.check();
  });

  test.each([
    ['90 s ahead', 90 * second],
    ['a day ahead', day],
    ['a day behind', -day],
  ])('is the database’s for each process, such as one whose host is %s', async (_, ms) => {
    clocks.state.hostMs = ms;
    clock = clocks.create();
    await clock.check();
    expect([ahead(), clock.read().databaseSeconds]).toEqual([0, ms / second]);
    expect(clock.fault()).toContain("the database's");
    await pass(minute);
    expect([ahead(), clock.read().isSettled]).toEqual([0, true]);
  });

  test('is settled by the database after a jump of the host', async () => {
    clocks.state.hostMs = 200 * day;
    expect([ahead(), clock.read().isSettled]).toEqual([0, false]);
    await pass(second);
    expect([ahead(), clock.read().isSettled]).toEqual([0, true]);
    clocks.state.hostMs = 0;
    expect(clock.read().isSettled && ahead()).toBe(0);
    await pass(second);
    expect([ahead(), clock.fault()]).toEqual([0, undefined]);
  });

  test('follows the host and the database after a suspend of an hour', async () => {
    clocks.state.hostMs = hour;
    clocks.state.databaseMs = hour;
    await pass(second);
    expect([ahead(), clock.read().isSettled]).toEqual([hour, true]);
  });

  test('does not follow a jump of the database alone before five minutes', async () => {
    clocks.state.databaseMs = day;
    await pass(second);
    expect([ahead(), clock.read().isSettled]).toEqual([0, false]);
    await pass(minute);
    clocks.state.databaseMs = 0;
    await pass(second);
    expect([ahead(), clock.read().isSettled]).toEqual([0, true]);
    clocks.state.databaseMs = day;
    await pass(second);
    await pass(5 * minute);
    expect([ahead(), clock.read().isSettled]).toEqual([day, true]);
  });

  test('goes on while the database is away', async () => {
    clocks.state.isAway = true;
    await pass(hour);
    expect([ahead(), clock.read().isSettled]).toEqual([0, true]);
  });

  test('reports a CA that is hours away, and goes on by the database', async () => {
    clock.noteCaDate(new Date(start - 5 * hour).toUTCString());
    expect(clock.read()).toMatchObject({ isSettled: true, caSeconds: 18_000 });
    expect(clock.fault()).toContain('a CA');
  });
});
