import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createLogger } from './logger.js';

/** The line that is written of a thrown value. */
function lineOf(error: unknown): Record<string, unknown> {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  createLogger({ service: 'shop', level: 'info', destination }).error({ error }, 'request.unexpected_error');
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

describe('a line of an error', () => {
  const driverError = Object.assign(new Error('disk full'), { detail: 'Failing row contains (hash).' });
  const failed = Object.assign(new Error('disk full'), {
    code: 'SQLITE_FULL',
    query: 'insert into users values ($1)',
    parameters: ['hash'],
    driverError,
    detail: driverError.detail,
  });

  test('names what failed and where', () => {
    expect(lineOf(failed)).toMatchObject({
      event: 'request.unexpected_error',
      error: {
        type: 'Error',
        message: 'disk full',
        stack: expect.stringContaining('logger.test'),
        code: 'SQLITE_FULL',
        query: 'insert into users values ($1)',
      },
    });
  });

  test('names its causes', () => {
    const { error } = lineOf(new Error('not stored', { cause: failed }));
    expect(error).toMatchObject({
      stack: expect.stringMatching(/not stored[\s\S]*caused by: Error: disk full/),
    });
  });

  test('names each of several errors', () => {
    const { error } = lineOf(new AggregateError([failed], ''));
    expect(error).toMatchObject({ type: 'AggregateError', errors: [{ type: 'Error', code: 'SQLITE_FULL' }] });
  });

  test.each([
    ['itself', failed],
    ['its cause', new Error('not stored', { cause: failed })],
    ['one of several', new AggregateError([failed], 'not stored')],
  ])('contains none of the values of %s', (_, error) => {
    expect(JSON.stringify(lineOf(error))).not.toContain('hash');
  });

  test('contains a thrown value that is not an error', () => {
    expect(lineOf('gone')).toMatchObject({ error: 'gone' });
  });
});
