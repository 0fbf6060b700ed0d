import { describe, expect, test } from 'vitest';
import {
  type ProviderPace,
  paceAfterBegin,
  paceAfterRefusal,
  roomInMs,
  roomOf,
  shownPace,
  windowBefore,
} from './provider-pace.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const now = new Date('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const refusal = { now, until: at(40 * second), accepted: 5, windowMs: minute, random: 0 };
const paused: ProviderPace = paceAfterRefusal(null, refusal);
const probed = paceAfterBegin(paused, 1, at(40 * second)) as ProviderPace;
const paced = roomOf(probed, { now: at(52 * second), underWay: 0 }).pace as ProviderPace;

describe('the pace of a provider', () => {
  test('after the first refusal is the rate that worked, after a pause', () => {
    expect(paused).toMatchObject({ pausedUntil: at(40 * second).toISOString(), intervalMs: 12 * second });
    expect(paceAfterRefusal(null, { ...refusal, accepted: 0 }).intervalMs).toBe(minute);
    expect(paceAfterRefusal(null, { ...refusal, random: 1 }).pausedUntil).toBe(at(44 * second).toISOString());
  });

  test.each<[string, ProviderPace | null, number, number, number]>([
    ['without a refusal: as many as wished', null, 0, 3, Number.POSITIVE_INFINITY],
    ['while paused: none', paused, 39 * second, 0, 0],
    ['after the pause: one', paused, 40 * second, 0, 1],
    ['after the pause, while others are under way: none', paused, 40 * second, 2, 0],
    ['while the probe is under way: none', probed, 50 * second, 1, 0],
    ['while the probe takes very long: as the rate allows', probed, 161 * second, 1, 6],
    ['after the probe: none before the next interval', probed, 51 * second, 0, 0],
    ['after the probe: one each interval', probed, 52 * second, 0, 1],
    ['later: what a minute allows', paced, hour, 0, 6],
    ['after a clock was ahead: as many as wished', paused, -61 * second, 0, Number.POSITIVE_INFINITY],
    ['a day after the last refusal: as many as wished', paced, 25 * hour, 0, Number.POSITIVE_INFINITY],
  ])('has room %s', (_, pace, ms, underWay, room) => {
    expect(roomOf(pace, { now: at(ms), underWay }).room).toBe(room);
  });

  test('becomes a little faster with each renewal, and slower after a refusal', () => {
    const faster = paceAfterBegin(paced, 10, at(hour)) as ProviderPace;
    expect(faster.intervalMs).toBeCloseTo(12 * second * 0.98 ** 10);
    const later = { ...refusal, now: at(hour), until: at(hour + minute) };
    expect(paceAfterRefusal(faster, later)).toMatchObject({
      refusals: 1,
      intervalMs: faster.intervalMs * 1.25,
      nextAt: null,
    });
    // a probe that is refused says nothing of the rate
    const again = { ...refusal, now: at(41 * second), until: at(2 * minute) };
    expect(paceAfterRefusal(probed, again)).toMatchObject({ refusals: 2, intervalMs: 12 * second });
    // calls that were under way together are refused together
    const beside = { ...refusal, now: at(second), until: at(50 * second) };
    expect(paceAfterRefusal(paused, beside)).toEqual({
      ...paused,
      pausedUntil: at(50 * second).toISOString(),
    });
  });

  test('is forgotten when it is no limit any more', () => {
    expect(paceAfterBegin({ ...paced, intervalMs: 50 }, 1, now)).toBeNull();
  });

  test('says when there may be room', () => {
    expect([roomInMs(null, now), roomInMs(paused, now), roomInMs(probed, now), roomInMs(paced, now)]).toEqual(
      [undefined, 40 * second, 52 * second, 52 * second],
    );
  });

  test('counts what the CA took in the time that it asks to wait, from a minute to three hours', () => {
    const windows = [second, 2 * hour, 100 * hour].map((ms) => windowBefore(at(ms), now));
    expect(windows).toEqual([minute, 2 * hour, 3 * hour]);
  });

  test('is shown as renewals a minute, with the room now and the end of the pause', () => {
    expect(shownPace(null, now)).toBeUndefined();
    expect(shownPace(paused, now)).toEqual({
      perMinute: 5,
      room: 0,
      refusals: 1,
      pausedUntil: at(40 * second).toISOString(),
    });
    expect(shownPace(paced, at(hour))).toEqual({ perMinute: 5, room: 6, refusals: 0 });
  });
});
