import {
  AppError,
  Conflict,
  Forbidden,
  InvalidInput,
  NotFound,
  Unauthenticated,
  UpstreamFailed,
} from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { faultOf } from './monitor-fault.js';

describe('the meaning of a response of the monitor', () => {
  test.each([
    ['no answer', new UpstreamFailed('x'), 'other', 'away'],
    ['no answer in time', new UpstreamFailed('x', { timedOut: true }), 'create', 'away'],
    ['a wrong key', new Unauthenticated('x'), 'create', 'away'],
    ['too many requests', new AppError('too_many_requests', 'x'), 'other', 'away'],
    ['the limit of checks', new Forbidden('x'), 'create', 'no_room'],
    ["another project's check", new Forbidden('x'), 'other', 'gone'],
    ['no such check', new NotFound('x'), 'other', 'gone'],
    ['no monitor at that address', new NotFound('x'), 'create', 'away'],
    ['a parameter that it does not like', new InvalidInput('x'), 'create', 'refused'],
    ['a conflict', new Conflict('x'), 'other', 'refused'],
    ['a text that is too large', new AppError('payload_too_large', 'x'), 'other', 'refused'],
  ] as const)('%s', (_, error, asked, fault) => {
    expect(faultOf(error, asked)).toBe(fault);
  });

  test('an error of this service is not a fault of the monitor', () => {
    const error = new TypeError('x');
    expect(() => faultOf(error, 'other')).toThrow(error);
  });
});
