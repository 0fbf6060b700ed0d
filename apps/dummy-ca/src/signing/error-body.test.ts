import { describe, expect, test } from 'vitest';
import { errorText } from './error-body.js';

const json = { contentType: 'application/json; charset=utf-8', body: '{"error":"no \\"x\\""}' };
const plain = { contentType: 'text/plain; charset=utf-8', body: 'no "x"' };

describe('errorText', () => {
  test.each([
    ['/csr', json],
    ['/csr/', json],
    ['/csr//', plain],
    ['/csr/x', plain],
    ['/CSR', plain],
    ['/csrs', plain],
    ['/certificate/csr', plain],
    ['/', plain],
    ['', plain],
  ])('on %s', (path, expected) => {
    expect(errorText(path, 'no "x"')).toEqual(expected);
  });
});
