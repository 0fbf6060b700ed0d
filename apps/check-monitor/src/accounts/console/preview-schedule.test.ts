import { describe, expect, test } from 'vitest';
import { previewSchedule, type TypedSchedule } from './preview-schedule.js';

const micros = (text: string) => Date.parse(text) * 1000;
const now = micros('2026-01-01T12:00:00Z');
const localTimes = (typed: TypedSchedule, from: string, count = 3) =>
  previewSchedule(typed, count, micros(from)).next.map(({ local, note }) => [local, note]);

describe('the preview of a schedule', () => {
  test('explains a period', () => {
    const typed = { kind: 'simple', timeout: '3600', grace: '300' } as const;
    expect(previewSchedule(typed, 6, now)).toEqual({
      ok: true,
      sentence: 'A ping is expected every 1 hour. A check is down 5 minutes after a ping was expected.',
      next: [{ at: '2026-01-01T13:00:00+00:00', local: '2026-01-01 13:00:00 UTC' }],
      errors: [],
    });
  });

  test('lists the expected times in the zone of the schedule', () => {
    const typed = { kind: 'cron', schedule: '0 3 * * *', tz: 'Europe/Riga', grace: '3600' } as const;
    const { sentence, next } = previewSchedule(typed, 2, now);
    expect(sentence).toBe(
      'A ping is expected on 2026-01-02 03:00:00 UTC+02:00 (Europe/Riga), then 1 day later. ' +
        'A check is down 1 hour after a ping was expected.',
    );
    expect(next.map(({ at }) => at)).toEqual(['2026-01-02T01:00:00+00:00', '2026-01-03T01:00:00+00:00']);
  });

  test('reports the last occurrence of a schedule, and that it has ended', () => {
    const typed = { kind: 'oncalendar', schedule: '2026-01-02 03:00', tz: 'UTC' } as const;
    expect(previewSchedule(typed, 6, now).sentence).toMatch(/^A ping is expected on .*, for the last time\./);
    const ended = previewSchedule(typed, 6, micros('2027-01-01T00:00:00Z'));
    expect(ended).toMatchObject({ ok: true, next: [] });
    expect(ended.sentence).toMatch(/^No ping is expected any more/);
  });

  test('notes a local time that the clocks skip', () => {
    const typed = { kind: 'cron', schedule: '30 3 * * *', tz: 'Europe/Riga' } as const;
    expect(localTimes(typed, '2026-03-28T12:00:00Z', 2)).toEqual([
      [
        '2026-03-29 04:00:00 UTC+03:00 (Europe/Riga)',
        'The clocks skip its local time on this day, so it comes when they go forward.',
      ],
      ['2026-03-30 03:30:00 UTC+03:00 (Europe/Riga)', undefined],
    ]);
    const hourly = { ...typed, schedule: '0 * * * *' };
    expect(localTimes(hourly, '2026-03-29T00:30:00Z', 1)).toEqual([
      ['2026-03-29 04:00:00 UTC+03:00 (Europe/Riga)', undefined],
    ]);
  });

  test('notes a local time that comes twice', () => {
    const typed = { kind: 'cron', schedule: '*/30 * * * *', tz: 'Europe/Riga' } as const;
    const note = (word: string) => `This local time comes twice on this day; this is the ${word} time.`;
    expect(localTimes(typed, '2026-10-24T23:30:00Z', 6)).toEqual([
      ['2026-10-25 03:00:00 UTC+03:00 (Europe/Riga)', note('first')],
      ['2026-10-25 03:30:00 UTC+03:00 (Europe/Riga)', note('first')],
      ['2026-10-25 03:00:00 UTC+02:00 (Europe/Riga)', note('second')],
      ['2026-10-25 03:30:00 UTC+02:00 (Europe/Riga)', note('second')],
      ['2026-10-25 04:00:00 UTC+02:00 (Europe/Riga)', undefined],
      ['2026-10-25 04:30:00 UTC+02:00 (Europe/Riga)', undefined],
    ]);
  });

  test.each<[TypedSchedule, string, RegExp]>([
    [{ kind: 'simple', timeout: '59' }, 'timeout', /from 60 to 31536000/],
    [{ kind: 'simple', timeout: '1.5' }, 'timeout', /from 60 to 31536000/],
    [{ kind: 'cron', schedule: '' }, 'schedule', /^is not a valid cron or OnCalendar expression$/],
    [{ kind: 'cron', schedule: '61 * * * *' }, 'schedule', /^is not a valid/],
    [{ kind: 'cron', schedule: '* * * * *', tz: 'Mars/Base' }, 'tz', /^is not a valid timezone$/],
    [{ kind: 'cron', schedule: '* * * * *', grace: 'x' }, 'grace', /from 60 to 31536000/],
  ])('names what is wrong in %j', (typed, field, message) => {
    const { ok, next, errors } = previewSchedule(typed, 6, now);
    expect({ ok, next }).toEqual({ ok: false, next: [] });
    expect(errors).toEqual([{ field, message: expect.stringMatching(message) }]);
  });
});
