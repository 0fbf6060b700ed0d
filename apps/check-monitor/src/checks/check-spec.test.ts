import { describe, expect, test } from 'vitest';
import { defaultSettings } from './check.js';
import { changedSettings, parseCheckSpec, uniqueMatch } from './check-spec.js';

const refused: [string, Record<string, unknown>, string][] = [
  ['a name that is null', { name: null }, 'name is not a string'],
  ['a name of 101 letters outside the base plane', { name: '😀'.repeat(101) }, 'name is too long'],
  ['a lone surrogate', { name: '\ud800' }, 'name is not valid Unicode'],
  ['a null character', { desc: 'a\0b' }, 'desc contains a null character'],
  ['a lone surrogate and another fault', { name: '\ud800', tz: 'x' }, 'tz is not a valid timezone'],
  ['a long name with null characters', { name: '\0'.repeat(101) }, 'name is too long'],
  ['a null character in a slug', { slug: 'a\0' }, 'slug does not match pattern'],
  ['a lone surrogate in a zone', { tz: '\ud800' }, 'tz is not a valid timezone'],
  [
    'a null character in a schedule',
    { schedule: '* * * * \0' },
    'schedule is not a valid cron or OnCalendar expression',
  ],
  ['a slug of the wrong letters', { slug: 'A' }, 'slug does not match pattern'],
  ['a slug with a trailing line break', { slug: 'a\n' }, 'slug does not match pattern'],
  ['a slug too long and of the wrong letters', { slug: 'A'.repeat(101) }, 'slug is too long'],
  ['tags of 501 letters', { tags: 'x'.repeat(501) }, 'tags is too long'],
  ['keywords of 201 letters', { success_kw: 'x'.repeat(201) }, 'success_kw is too long'],
  ['a number as channels', { channels: 1 }, 'channels is not a string'],
  ['channels of more than 64 KiB', { channels: 'x,'.repeat(32_769) }, 'channels is too long'],
  ['a description of more than 65,536 characters', { desc: 'ü'.repeat(65_537) }, 'desc is too long'],
  ['a list as description', { desc: [] }, 'desc is not a string'],
  ['an empty schedule', { schedule: '' }, 'schedule is not a valid cron or OnCalendar expression'],
  ['six fields', { schedule: '* * * * * *' }, 'schedule is not a valid cron or OnCalendar expression'],
  ['a long schedule', { schedule: ' '.repeat(101) }, 'schedule is too long'],
  ['an empty zone', { tz: '' }, 'tz is not a valid timezone'],
  ['a zone of the wrong case', { tz: 'utc' }, 'tz is not a valid timezone'],
  ['a period of 59 seconds', { timeout: 59 }, 'timeout is too small'],
  ['a period of more than a year', { timeout: 31_536_001 }, 'timeout is too large'],
  ['a period beyond every number', { timeout: Number.POSITIVE_INFINITY }, 'timeout is too large'],
  ['a period with a fraction', { timeout: 60.5 }, 'timeout is not a number'],
  ['a period that is true', { timeout: true }, 'timeout is too small'],
  ['a period as text', { grace: '60' }, 'grace is not a number'],
  ['grace that is null', { grace: null }, 'grace is not a number'],
  ['a flag of 1', { manual_resume: 1 }, 'manual_resume is not a boolean'],
  ['a flag that is null', { filter_http_body: null }, 'filter_http_body is not a boolean'],
  ['a last ping that is not an instant', { import_last_ping: 'today' }, 'import_last_ping is not an instant'],
  ['another method', { methods: 'GET' }, 'methods has unexpected value'],
  ['null as methods', { methods: null }, 'methods has unexpected value'],
  ['a text as unique', { unique: 'name' }, 'unique is not an array'],
  ['an unknown unique field', { unique: ['name', 'uuid'] }, "an item in 'unique' has unexpected value"],
  ['the first fault by the order of fields counts', { tz: 1, desc: 1 }, 'desc is not a string'],
];

describe('parameters', () => {
  test.each(refused)('refuses %s', (_situation, body, text) => {
    expect(() => parseCheckSpec(body)).toThrow(
      expect.objectContaining({ message: `json validation error: ${text}` }),
    );
  });

  test.each([
    ['a name of 100 letters outside the base plane', { name: '😀'.repeat(100) }],
    ['an unknown member', { colour: null }],
    ['a year', { timeout: 31_536_000, grace: 60 }],
    ['the same unique field twice', { unique: ['name', 'name'] }],
    ['channels of 64 KiB', { channels: 'x,'.repeat(32_768) }],
    ['impossible channel ids, since they are only compared', { channels: '\0\ud800' }],
  ])('takes %s', (_situation, body) => {
    expect(parseCheckSpec(body)).toMatchObject({ tz: undefined });
  });
});

describe('changed settings', () => {
  const keyed = { ...defaultSettings, failureKeywords: 'err' };

  test.each([
    ['nothing given', {}, defaultSettings, {}],
    ['only a zone', { tz: 'Europe/Kiev' }, defaultSettings, { tz: 'Europe/Kyiv' }],
    ['a period makes it simple', { timeout: 60 }, defaultSettings, { kind: 'simple', timeoutSeconds: 60 }],
    [
      'a schedule wins over a period',
      { timeout: 60, schedule: ' 1 2 * * *\n' },
      defaultSettings,
      { kind: 'cron', schedule: ' 1 2 * * *\n' },
    ],
    ['OnCalendar', { schedule: 'daily' }, defaultSettings, { kind: 'oncalendar', schedule: 'daily' }],
    [
      'the old pair sets the filter',
      { subject: 'ok' },
      defaultSettings,
      { successKeywords: 'ok', filterSubject: true },
    ],
    ['the old pair emptied', { subject: '' }, defaultSettings, { successKeywords: '', filterSubject: false }],
    ['the old pair emptied by half', { subject: '' }, keyed, { successKeywords: '', filterSubject: true }],
    [
      'newer parameters win over the old pair',
      { subject: 'a', success_kw: 'b', filter_subject: false },
      defaultSettings,
      { successKeywords: 'b', filterSubject: false },
    ],
  ])('%s', (_situation, body, current, changed) => {
    expect(changedSettings(parseCheckSpec(body), current, 3)).toEqual(changed);
  });

  test.each([
    ['version 1 derives the slug', 1, { name: 'My Job' }, { name: 'My Job', slug: 'my-job' }],
    ['version 2 derives the slug', 2, { name: '' }, { name: '', slug: '' }],
    ['a given slug wins', 2, { name: 'My Job', slug: 'x' }, { name: 'My Job', slug: 'x' }],
    ['version 3 leaves the slug', 3, { name: 'My Job' }, { name: 'My Job' }],
  ] as const)('%s', (_situation, version, body, changed) => {
    expect(changedSettings(parseCheckSpec(body), defaultSettings, version)).toEqual(changed);
  });
});

describe('match on unique fields', () => {
  test.each([
    ['without channels', { name: 'x' }, undefined],
    ['one absent', { name: 'x', unique: ['name', 'slug'] }, undefined],
    ['all present', { name: 'x', grace: 60, unique: ['name', 'grace'] }, { name: 'x', graceSeconds: 60 }],
    ['empty texts match too', { tags: '', unique: ['tags'] }, { tags: '' }],
    [
      'a period is matched in addition to a schedule',
      { timeout: 60, schedule: 'daily', unique: ['timeout'] },
      { timeoutSeconds: 60 },
    ],
  ])('%s', (_situation, body, match) => {
    expect(uniqueMatch(parseCheckSpec(body))).toEqual(match);
  });
});
