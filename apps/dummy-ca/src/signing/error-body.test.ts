import { describe, expect, test } from '@jest/globals';
import { allowOf, errorText } from './error-body.js';

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

describe('allowOf', () => {
  test.each([
    ['/csr', 'POST'],
    ['/csr/', 'POST'],
    ['/health', 'GET, HEAD'],
    ['/root', 'GET, HEAD'],
    ['/certificate/1', 'GET, HEAD'],
    ['/certificate/', undefined],
    ['/certificate/1/2', undefined],
    ['/nothing', undefined],
    ['*', undefined],
  ])('of %s', (path, expected) => {
    expect(allowOf(path)).toBe(expected);
  });
});
