import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { describe, expect, test } from 'vitest';
import { anEvent, happened } from '../../../../test/support/events.js';
import { FilledTooLong, fillTemplate } from './placeholders.js';
import { webhookMessage } from './webhook-message.js';

const event = anEvent({
  at: happened + 999_999,
  check: {
    name: 'Näme & "co"/x',
    slug: 'name-co',
    tags: 'prod  día $STATUS',
    tagList: ['prod', 'día', '$STATUS'],
    json: { name: 'Näme', grace: 60 },
  },
  lastPing: {
    n: 112,
    signal: 'fail',
    at: happened,
    exitStatus: 3,
    isMail: false,
    body: Buffer.from('a "b"\n$NAME é'),
  },
});
const silent = anEvent({ lastPing: null, check: { tags: '', tagList: [] } });

describe('placeholders in a body', () => {
  test.each([
    ['$CODE', '62e13f6b-a7b9-4926-8d1a-222222222222'],
    ['$STATUS', 'down'],
    ['$NOW', '2026-01-01T12:00:00+00:00'],
    ['$NAME', 'Näme & "co"/x'],
    ['$NAME_JSON', '"N\\u00e4me & \\"co\\"/x"'],
    ['$SLUG', 'name-co'],
    ['$TAGS', 'prod  día $STATUS'],
    ['$TAG1 $TAG2', 'prod día'],
    ['$JSON', '{"name": "N\\u00e4me", "grace": 60}'],
    ['$BODY', 'a "b"\n$NAME é'],
    ['$BODY_JSON', '"a \\"b\\"\\n$NAME \\u00e9"'],
    ['$EXITSTATUS', '3'],
    // values are not read again
    ['$TAG3', '$STATUS'],
    // the shorter one comes first, as it does in this API family
    ['$TAG10', 'prod0'],
    ['$NAMES', 'Näme & "co"/xS'],
    // what stands for nothing stays
    ['$TAG4 $OTHER $ $$', '$TAG4 $OTHER $ $$'],
    ['$$NAME', '$Näme & "co"/x'],
    ['cost: 5$, $STATUS$STATUS', 'cost: 5$, downdown'],
    ['', ''],
  ])('%s', (template, text) => {
    expect(fillTemplate(template, event, 'body')).toBe(text);
  });

  test.each([
    ['$EXITSTATUS', '-1'],
    ['[$BODY]', '[]'],
    ['$BODY_JSON', '""'],
    ['[$TAGS]', '[]'],
    ['$TAG1', '$TAG1'],
  ])('%s of a check that was never pinged and has no tags', (template, text) => {
    expect(fillTemplate(template, silent, 'body')).toBe(text);
  });
});

describe('placeholders in a URL', () => {
  test.each([
    ['http://x/$NAME', 'http://x/N%C3%A4me%20%26%20%22co%22/x'],
    ['http://x/?t=$NOW', 'http://x/?t=2026-01-01T12%3A00%3A00%2B00%3A00'],
    ['http://x/?$CODE-$STATUS-$SLUG', 'http://x/?62e13f6b-a7b9-4926-8d1a-222222222222-down-name-co'],
    ['http://x/?$TAGS&$TAG2', 'http://x/?prod%20%20d%C3%ADa%20%24STATUS&d%C3%ADa'],
    ['http://x/?$JSON', 'http://x/?%7B%22name%22%3A%20%22N%5Cu00e4me%22%2C%20%22grace%22%3A%2060%7D'],
    ['http://x/$EXITSTATUS', 'http://x/3'],
    // bodies belong into bodies
    ['http://x/$BODY', 'http://x/$BODY'],
  ])('%s', (template, text) => {
    expect(fillTemplate(template, event, 'url')).toBe(text);
  });
});

describe('placeholders in a header', () => {
  test.each([
    ['$NAME', 'Näme & "co"/x'],
    ['$BODY', '$BODY'],
    ['$STATUS 漢😀', 'down &#28450;&#128512;'],
  ])('%s', (template, text) => {
    expect(fillTemplate(template, event, 'header')).toBe(text);
  });

  test('a name cannot add a header', () => {
    const hostile = anEvent({ check: { name: 'a\r\nX-Injected: 1\u0000\u0085' } });
    expect(fillTemplate('$NAME', hostile, 'header')).toBe('a  X-Injected: 1');
  });
});

describe('values that make a message very long', () => {
  const body = Buffer.from('é'.repeat(50_000));
  const long = anEvent({
    check: { json: { desc: 'é'.repeat(100_000) }, tags: 'x '.repeat(249), name: '漢'.repeat(100) },
    lastPing: { n: 1, signal: 'fail', at: happened, exitStatus: 3, isMail: false, body },
  });
  const call = { method: 'POST', url: 'http://x/', body: '', headers: {} } as const;

  test('a value may be long', () => {
    expect(fillTemplate('$BODY_JSON', long, 'body')).toHaveLength(300_002);
  });

  test.each([
    ['a body with 200 values', { ...call, body: '$BODY'.repeat(200) }],
    ['a body with 100 values in JSON', { ...call, body: '$BODY_JSON'.repeat(100) }],
    ['a body with 200 checks', { ...call, body: '$JSON'.repeat(200) }],
    ['an address with 190 checks', { ...call, url: `http://x/${'$JSON'.repeat(190)}` }],
    [
      'a thousand headers',
      {
        ...call,
        headers: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x${n}`, '$TAGS'.repeat(200)])),
      },
    ],
  ])('%s: are refused within 50 ms of CPU', async (_situation, hostile) => {
    const refuse = () => expect(() => webhookMessage(hostile, long)).toThrow(FilledTooLong);
    expect(await excessMs(50, () => cpuMsOf(refuse))).toBeUndefined();
  });
});
