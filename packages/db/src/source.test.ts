import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAddress } from './source.js';

describe('a database address', () => {
  test.each([
    ['sqlite::memory:', { dialect: 'sqlite', file: undefined }],
    ['sqlite:./data/app.sqlite', { dialect: 'sqlite', file: resolve('data/app.sqlite') }],
    ['sqlite:app.sqlite', { dialect: 'sqlite', file: resolve('app.sqlite') }],
    ['sqlite:/var/lib/app.sqlite', { dialect: 'sqlite', file: resolve('/var/lib/app.sqlite') }],
    ['sqlite:///var/lib/app.sqlite', { dialect: 'sqlite', file: resolve('/var/lib/app.sqlite') }],
    [
      'postgres://ada:pw@db.example/app?sslmode=require',
      {
        dialect: 'postgres',
        url: 'postgres://ada:pw@db.example/app?sslmode=require',
        shown: 'db.example:5432/app',
      },
    ],
    [
      'postgresql://db:6432/app',
      { dialect: 'postgres', url: 'postgresql://db:6432/app', shown: 'db:6432/app' },
    ],
  ])('%s', (url, address) => {
    expect(parseAddress(url)).toEqual(address);
  });
});
