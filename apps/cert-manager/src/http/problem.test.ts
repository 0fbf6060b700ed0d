import { AppError, InvalidInput, UpstreamFailed } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { describeProblem } from './problem.js';

test('an error sets detail, message and error to the same text', () => {
  const fields = [{ path: 'csr.dnsNames[0]', code: 'not_allowed', message: 'is another name' }];
  const refusal = new InvalidInput('SAN list holds a.example', {
    code: 'csr_san_mismatch',
    title: 'CSR does not match the FQDN',
    fields,
  });
  expect(describeProblem(refusal, '/spaces/1/csr', 'r-1')).toEqual({
    type: '/problems/csr-san-mismatch',
    title: 'CSR does not match the FQDN',
    status: 400,
    detail: 'SAN list holds a.example',
    instance: '/spaces/1/csr',
    error: 'CSR does not match the FQDN',
    message: 'SAN list holds a.example',
    code: 'csr_san_mismatch',
    requestId: 'r-1',
    errors: fields,
  });
});

test('an error without a message gets the message of its kind, and no list of errors', () => {
  const problem = describeProblem(new AppError('too_many_requests', 'later'), '/', 'r-1');
  expect(problem).toMatchObject({
    type: '/problems/too-many-requests',
    title: 'Too many requests',
    status: 429,
  });
  expect(problem).not.toHaveProperty('errors');
});

test('text of another service is shortened and loses its control characters', () => {
  const problem = describeProblem(new UpstreamFailed(`bad\r\n\u001b[31m${'x'.repeat(1000)}`), '/', 'r-1');
  expect(problem.detail).toHaveLength(500);
  expect(problem.detail).toMatch(/^bad \[31mx+…$/);
});

test('field errors are cleaned like other text, and at most 100 are listed', () => {
  const fault = { path: 'names[0]\n', code: 'not_allowed', message: `bad\u0000${'x'.repeat(1000)}` };
  const refusal = new InvalidInput('bad', { fields: Array.from({ length: 1000 }, () => fault) });
  const { errors = [] } = describeProblem(refusal, '/', 'r-1');
  expect(errors).toHaveLength(100);
  expect(errors[0]).toEqual({
    path: 'names[0] ',
    code: 'not_allowed',
    message: expect.stringMatching(/^bad x{495}…$/),
  });
});
