import { describe, expect, test } from 'vitest';
import { fieldsOf, labelOf, settingsFrom, typedFrom } from './schema-fields.js';

const call = {
  anyOf: [
    {
      type: 'object',
      properties: {
        method: { type: 'string', enum: ['GET', 'POST'], default: 'GET' },
        url: { type: 'string' },
        headers: { type: 'object', default: {} },
      },
      required: ['url'],
    },
    { type: 'null' },
  ],
  default: null,
};

describe('the fields of settings', () => {
  test('are those of a flat schema, with required and secret fields marked', () => {
    const schema = {
      properties: {
        topic: { type: 'string' },
        token: { anyOf: [{ type: 'integer' }, { type: 'string' }], default: '' },
        priorityDown: { type: 'integer', default: 3, minimum: 0, maximum: 5 },
        up: { type: 'boolean', default: true },
      },
      required: ['topic'],
    };
    const fields = fieldsOf(schema, ['token']);
    expect(
      fields.map(({ path, kind, isRequired, isSecret, initial }) => ({
        path,
        kind,
        isRequired,
        isSecret,
        initial,
      })),
    ).toEqual([
      { path: 'topic', kind: 'text', isRequired: true, isSecret: false, initial: '' },
      { path: 'token', kind: 'text', isRequired: false, isSecret: true, initial: '' },
      { path: 'priorityDown', kind: 'number', isRequired: false, isSecret: false, initial: '3' },
      { path: 'up', kind: 'flag', isRequired: false, isSecret: false, initial: 'true' },
    ]);
    expect(settingsFrom(fields, { topic: ' jobs ', token: '', priorityDown: '5', up: 'false' })).toEqual({
      topic: 'jobs',
      priorityDown: 5,
      up: false,
    });
    expect(settingsFrom(fields, { topic: 'jobs', priorityDown: 'high' })).toMatchObject({
      priorityDown: 'high',
    });
  });

  test('are those of a nested object, which is omitted without an address', () => {
    const fields = fieldsOf({ properties: { down: call, up: call } }, ['down.headers']);
    expect(fields.map(({ path }) => path)).toEqual([
      'down.method',
      'down.url',
      'down.headers',
      'up.method',
      'up.url',
      'up.headers',
    ]);
    expect(
      settingsFrom(fields, {
        'down.method': 'POST',
        'down.url': 'https://example.org/a:b',
        'down.headers': 'X-Key: a: b\n\nAccept: */*',
        'up.method': 'GET',
        'up.url': ' ',
      }),
    ).toEqual({
      down: { method: 'POST', url: 'https://example.org/a:b', headers: { 'X-Key': 'a: b', Accept: '*/*' } },
    });
  });

  test('contain the stored settings without secrets, and return them unchanged', () => {
    const fields = fieldsOf(
      {
        properties: {
          down: call,
          up: call,
          channels: { type: 'array' },
          priority: { type: 'integer', default: 3 },
        },
      },
      ['up.headers'],
    );
    const stored = {
      down: { method: 'POST', url: 'https://example.org', headers: { 'X-Key': 'a: b', Accept: '*/*' } },
      up: null,
      channels: ['a', 'b'],
    };
    const typed = typedFrom(fields, stored);
    expect(typed).toMatchObject({
      'down.headers': 'X-Key: a: b\nAccept: */*',
      'up.method': 'GET',
      'up.url': '',
      'up.headers': '',
      channels: 'a,b',
      priority: '3',
    });
    const { up: _none, ...others } = stored;
    expect(settingsFrom(fields, typed)).toEqual({ ...others, priority: 3 });
  });

  test('have readable names', () => {
    expect(['url', 'down.url', 'someNewSetting', 'up.body'].map(labelOf)).toEqual([
      'Address (URL)',
      'When a check goes down: address (URL)',
      'Some new setting',
      'When a check comes up: body',
    ]);
  });
});
