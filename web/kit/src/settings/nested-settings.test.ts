import { describe, expect, test } from 'vitest';
import { type NestedField, settingAt, settingsWith, shownSettings } from './nested-settings.js';

const fields: readonly NestedField[] = [
  { path: 'url' },
  { path: 'days', type: 'number' },
  { path: 'mails', type: 'list' },
  { path: 'agreed', type: 'flag' },
  { path: 'dns.kind', type: 'choice' },
  { path: 'dns.key.name', isUsed: (typed) => typed['dns.kind'] === 'signed' },
  { path: 'dns.key.secret', type: 'secret', isUsed: (typed) => typed['dns.kind'] === 'signed' },
];

const stored = {
  url: 'https://a.test',
  days: 30,
  mails: ['a@a.test', 'b@b.test'],
  agreed: true,
  dns: { kind: 'signed', key: { name: 'n', secret: '********' }, waitSeconds: 5 },
  other: { stays: true },
};
const shown = {
  url: 'https://a.test',
  days: '30',
  mails: 'a@a.test, b@b.test',
  agreed: 'true',
  'dns.kind': 'signed',
  'dns.key.name': 'n',
  'dns.key.secret': '',
};

test('a form shows the settings, but no secrets', () => {
  expect(shownSettings(stored, fields)).toEqual(shown);
  expect(shownSettings({}, fields)).toMatchObject({ url: '', agreed: '', 'dns.kind': '' });
  expect(settingAt(stored, 'dns.key.name')).toBe('n');
  expect(settingAt(stored, 'url.of.nothing')).toBeUndefined();
});

describe('settings after a form', () => {
  test.each([
    ['are the same without a change', {}, stored],
    [
      'have what was typed',
      { days: '47 ', 'dns.key.secret': 'new' },
      {
        ...stored,
        days: 47,
        dns: { ...stored.dns, key: { name: 'n', secret: 'new' } },
      },
    ],
    [
      'lack what was emptied',
      { url: '', mails: '', agreed: '' },
      {
        days: 30,
        mails: [],
        agreed: false,
        dns: stored.dns,
        other: stored.other,
      },
    ],
    [
      'omit settings that no longer apply, with the object around them',
      { 'dns.kind': 'plain' },
      {
        ...stored,
        dns: { kind: 'plain', waitSeconds: 5 },
      },
    ],
    ['contain text that is not a number unchanged', { days: 'many' }, { ...stored, days: 'many' }],
  ])('%s', (_, change, expected) => {
    expect(settingsWith(stored, fields, { ...shown, ...change })).toEqual(expected);
  });

  test('can start empty', () => {
    const typed = { url: 'https://b.test', agreed: 'true' };
    expect(settingsWith({}, fields, typed)).toEqual({ url: 'https://b.test', mails: [], agreed: true });
  });
});
