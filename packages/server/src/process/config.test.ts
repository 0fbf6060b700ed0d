import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  baseAddress,
  ConfigError,
  flag,
  httpAddress,
  portNumber,
  readConfig,
  setting,
  unknownSettings,
  wholeNumber,
  wordList,
} from './config.js';

const folder = mkdtempSync(join(tmpdir(), 'certloop-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const file = join(mkdtempSync(join(folder, 'f-')), 'value');
  writeFileSync(file, content);
  return file;
}

const settings = {
  port: setting('APP_PORT', portNumber.default(3000), 'TCP port'),
  secret: setting('APP_SECRET', z.string().min(8, 'must have 8 characters or more'), 'secret of the app'),
};

function faultsOf(environment: Record<string, string>): string {
  try {
    readConfig(settings, environment);
    return '';
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error);
  }
}

describe('readConfig', () => {
  test('returns defaults for absent or empty settings', () => {
    expect(readConfig(settings, { APP_PORT: '', APP_SECRET: 'long enough' })).toEqual({
      port: 3000,
      secret: 'long enough',
    });
  });

  test('reads a file and drops one final line break only', () => {
    const path = fileWith('two lines\n\n');
    expect(readConfig(settings, { APP_SECRET_FILE: path }).secret).toBe('two lines\n');
  });

  test('lists every fault at once, without the values', () => {
    const message = faultsOf({ APP_PORT: '70000', APP_SECRET: 'hunter2' });
    expect(message).toContain('APP_PORT: must be a whole number from 0 to 65535 (TCP port)');
    expect(message).toContain('APP_SECRET: must have 8 characters or more (secret of the app)');
    expect(message).not.toContain('hunter2');
  });

  test.each([
    ['a value that is missing', {}, 'APP_SECRET: is missing'],
    ['a file that is not there', { APP_SECRET_FILE: '/nowhere' }, 'cannot be read: ENOENT'],
    ['a folder instead of a file', { APP_SECRET_FILE: folder }, 'cannot be read: EISDIR'],
    ['both forms', { APP_SECRET: 'long enough', APP_SECRET_FILE: '/x' }, 'is set twice'],
  ])('rejects %s', (_, environment, fault) => {
    expect(faultsOf(environment as Record<string, string>)).toContain(fault);
  });
});

describe('rules of values', () => {
  test.each([
    ['lowest port', portNumber, '0', 0],
    ['highest port', portNumber, '65535', 65_535],
    ['bound', wholeNumber(5, 6), '6', 6],
    ['flag', flag, 'true', true],
    ['address with slashes at its end', httpAddress, 'https://ca.example/base//', 'https://ca.example/base'],
    ['base', baseAddress, 'https://ca.example/base/', 'https://ca.example/base'],
    ['words', wordList, ' a, b  c,', ['a', 'b', 'c']],
  ])('accepts %s', (_, rule, text, value) => {
    expect(rule.parse(text)).toEqual(value);
  });

  test.each([
    ['one above', portNumber, '65536'],
    ['a sign', portNumber, '-1'],
    ['a fraction', portNumber, '1.5'],
    ['an exponent', portNumber, '1e3'],
    ['blanks', portNumber, ' 1'],
    ['digits that are not ASCII', portNumber, '１'],
    ['a word for yes', flag, 'yes'],
    ['another protocol', httpAddress, 'ftp://ca.example'],
    ['no address', httpAddress, 'ca.example'],
    ['a base with a query', baseAddress, 'https://ca.example/?name=value'],
    ['a base with an empty query', baseAddress, 'https://ca.example?'],
    ['a base with a fragment', baseAddress, 'https://ca.example/#part'],
    ['a base with credentials', baseAddress, 'https://name:word@ca.example'],
    ['a base with a protocol that is not HTTP', baseAddress, 'ftp://ca.example'],
  ])('rejects %s', (_, rule, text) => {
    expect(rule.safeParse(text).success).toBe(false);
  });
});

test('unknownSettings names misspelt settings, not known ones or those of others', () => {
  const environment = { APP_PORT: '1', APP_SECRET_FILE: 'x', APP_SECRETT: 'y', OTHER: 'z' };
  expect(unknownSettings('APP_', settings, environment)).toEqual(['APP_SECRETT']);
});
