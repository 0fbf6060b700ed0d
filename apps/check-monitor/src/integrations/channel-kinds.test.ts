import { describe, expect, test } from 'vitest';
import { memberUuid, sampleSettings } from '../../test/support/kind-samples.js';
import {
  channelKindNames,
  findKind,
  keepSecrets,
  parseChannelSettings,
  withoutSecrets,
} from './channel-kinds.js';
import type { ChannelKind } from './kinds.js';

describe('settings of each kind', () => {
  test.each(channelKindNames)('%s are accepted, and so is the parsed result', (kind) => {
    const settings = parseChannelSettings(kind, sampleSettings[kind]);
    expect(parseChannelSettings(kind, settings)).toEqual(settings);
  });

  test.each(channelKindNames)('%s reject an unknown member and a value that is not an object', (kind) => {
    expect(() => parseChannelSettings(kind, { ...sampleSettings[kind], more: 1 })).toThrow(/^settings/);
    expect(() => parseChannelSettings(kind, 'text')).toThrow(/^settings/);
  });

  test('the error names the fault, and not the value', () => {
    const settings = { down: { url: 'ftp://user:password@x.example' } };
    expect(() => parseChannelSettings('webhook', settings)).toThrow(
      'settings.down.url: must be an http or https address',
    );
  });

  test.each([
    'http://foo',
    'http://localhost:1234/a',
    'http://user:pass@example.org:80',
    'http://example.com.',
    'https://$NAME.example.org/$CODE',
  ])('a webhook accepts %s', (url) => {
    expect(parseChannelSettings('webhook', { down: { url } })).toMatchObject({ down: { url } });
  });

  test.each(['foo bar', 'ftp://example.org', 'http://example:80.com/', 'http://[foo]/$NAME', '[foo]'])(
    'a webhook refuses %s, which cannot be called',
    (url) => {
      expect(() => parseChannelSettings('webhook', { up: { url } })).toThrow(
        'settings.up.url: must be an http or https address',
      );
    },
  );

  test.each([
    ['email', { address: '   ada@example.org \n' }, { address: 'ada@example.org' }],
    ['pd', { serviceKey: '   123456   ' }, { serviceKey: '123456' }],
    ['opsgenie', { key: ' 123456\n' }, { key: '123456' }],
    ['slack', { url: ' https://x.example/a ' }, { url: 'https://x.example/a' }],
    ['webhook', { down: { url: 'https://x.example/a\n' } }, { down: { url: 'https://x.example/a' } }],
    ['signal', { recipient: '\u202c+1234567890\u202c' }, { recipient: '+1234567890' }],
    ['signal', { recipient: '  +123-45 678 90 ' }, { recipient: '+1234567890' }],
    ['signal', { recipient: ' foobar.123' }, { recipient: 'foobar.123' }],
  ] as const)('%s are trimmed of pasted characters: %j', (kind, given, expected) => {
    expect(parseChannelSettings(kind, given)).toMatchObject(expected);
  });

  test.each(['not a phone number', '+123456789A', 'a.123', 'foobar.0'])(
    'signal refuses the recipient %s',
    (recipient) => {
      expect(() => parseChannelSettings('signal', { recipient })).toThrow('settings.recipient: ');
    },
  );

  test('members of a group are named in lower case', () => {
    expect(parseChannelSettings('group', sampleSettings.group)).toEqual({ channels: [memberUuid] });
  });
});

describe('secrets', () => {
  const stored = { url: 'https://x.example', token: 'secret', priorityDown: 8, priorityUp: 5 };
  const hook = { down: { url: 'https://x.example', headers: { Authorization: 'secret' } }, up: null };

  test.each<[string, ChannelKind, object, object]>([
    ['a member', 'gotify', stored, { url: 'https://x.example', priorityDown: 8, priorityUp: 5 }],
    ['a nested member', 'webhook', hook, { down: { url: 'https://x.example' }, up: null }],
  ])('are not shown: %s', (_situation, kind, settings, shown) => {
    expect(withoutSecrets(kind, settings)).toEqual(shown);
    expect(JSON.stringify(settings)).toContain('secret');
  });

  const same = 'https://x.example';
  const other = 'https://eve.example';
  const headers = { Authorization: 'secret' };

  test.each<[string, ChannelKind, object, object, object]>([
    ['left out: unchanged', 'gotify', { url: same }, stored, { url: same, token: 'secret' }],
    ['given: taken', 'gotify', { url: same, token: 'new' }, stored, { url: same, token: 'new' }],
    ['left out, but sent to another host: gone', 'gotify', { url: other }, stored, { url: other }],
    [
      'sent to a fixed service: unchanged',
      'opsgenie',
      { region: 'eu' },
      { key: 'k' },
      { region: 'eu', key: 'k' },
    ],
    ['nested: unchanged', 'webhook', { down: { url: same } }, hook, { down: { url: same, headers } }],
    [
      'nested, sent to another host: gone',
      'webhook',
      { down: { url: other } },
      hook,
      { down: { url: other } },
    ],
    ['in a new part: none', 'webhook', { up: { url: same } }, hook, { up: { url: same } }],
  ])('%s', (_situation, kind, edited, before, expected) => {
    expect(keepSecrets(kind, edited, before)).toEqual(expected);
  });
});

test('a kind is found only by its exact name', () => {
  expect([findKind('pd'), findKind('PD'), findKind('constructor')]).toEqual(['pd', undefined, undefined]);
});
