import { describe, expect, test } from 'vitest';
import { type HttpPing, type PingFilter, signalOfHttpPing, signalOfMail } from './signal.js';

const open: PingFilter = {
  methods: '',
  manualResume: false,
  storedStatus: 'up',
  startKeywords: '',
  successKeywords: '',
  failureKeywords: '',
  filterHttpBody: false,
  filterSubject: false,
  filterBody: false,
  filterDefaultFail: false,
};
const words: PingFilter = {
  ...open,
  filterHttpBody: true,
  startKeywords: 'begin',
  successKeywords: ' done , ok',
  failureKeywords: 'error,',
};
const get: HttpPing = { action: 'success', exitStatus: null, method: 'GET', body: new Uint8Array() };

function body(text: string): Partial<HttpPing> {
  return { body: Buffer.from(text, 'utf8') };
}

describe('signal of an HTTP ping', () => {
  test.each([
    ['success', {}, open, 'success'],
    ['start', { action: 'start' }, open, 'start'],
    ['exit status 0', { exitStatus: 0 }, open, 'success'],
    ['exit status 1', { exitStatus: 1 }, open, 'fail'],
    ['GET where only POST counts', {}, { ...open, methods: 'POST' }, 'ign'],
    ['POST where only POST counts', { method: 'POST' }, { ...open, methods: 'POST' }, 'success'],
    ['paused', {}, { ...open, storedStatus: 'paused' }, 'success'],
    ['paused until resumed', {}, { ...open, storedStatus: 'paused', manualResume: true }, 'ign'],
    ['manual resume, but not paused', {}, { ...open, manualResume: true }, 'success'],
    ['a failure keyword', body('an error, done'), words, 'fail'],
    ['a success keyword', body('begin and done'), words, 'success'],
    ['a start keyword', body('begin'), words, 'start'],
    ['a keyword within a word', body('undone'), words, 'success'],
    ['case counts', body('DONE'), words, 'ign'],
    ['no keyword', body('hello'), words, 'ign'],
    ['no keyword and failure by default', body('hello'), { ...words, filterDefaultFail: true }, 'fail'],
    ['no body', {}, words, 'ign'],
    ['keywords decide against the address', { ...body('done'), action: 'fail' }, words, 'success'],
    ['keywords decide against the exit status', { ...body('ok'), exitStatus: 3 }, words, 'success'],
    ['a filter without keywords', body('x'), { ...open, filterHttpBody: true }, 'ign'],
    [
      'bytes that are not UTF-8 around a keyword',
      { body: Buffer.from('\xffdone\xc3', 'latin1') },
      words,
      'success',
    ],
    ['failure by default without a filter', {}, { ...open, filterDefaultFail: true }, 'success'],
  ] as [string, Partial<HttpPing>, PingFilter, string][])('%s → %s', (_situation, ping, filter, signal) => {
    expect(signalOfHttpPing({ ...get, ...ping }, filter)).toBe(signal);
  });
});

describe('signal of a mail', () => {
  const mail = { subject: 'Backup ok', texts: ['an error', 'begin'] };
  const bySubject: PingFilter = { ...words, filterHttpBody: false, filterSubject: true };

  test.each([
    ['success without filters, whatever it says', open, 'success'],
    ['the body of an HTTP ping is another matter', words, 'success'],
    ['methods are those of HTTP', { ...open, methods: 'POST' }, 'success'],
    ['by its subject', bySubject, 'success'],
    ['by its body', { ...bySubject, filterSubject: false, filterBody: true }, 'fail'],
    ['by both: failure first', { ...bySubject, filterBody: true }, 'fail'],
    ['no keyword at all', { ...bySubject, successKeywords: '' }, 'ign'],
    [
      'no keyword, failing by default',
      { ...bySubject, successKeywords: 'x', filterDefaultFail: true },
      'fail',
    ],
    ['paused until resumed', { ...bySubject, storedStatus: 'paused', manualResume: true }, 'ign'],
  ] as [string, PingFilter, string][])('%s', (_situation, filter, signal) => {
    expect(signalOfMail(mail, filter)).toBe(signal);
  });

  test('compares keywords case-sensitively', () => {
    expect(signalOfMail({ subject: 'OK', texts: [] }, bySubject)).toBe('ign');
  });
});
