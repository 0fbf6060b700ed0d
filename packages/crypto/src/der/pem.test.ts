import { AppError, InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { certificateLabel, csrLabels, formatPem, parsePem, parsePemBlocks, splitChain } from './pem.js';

const der = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
const csr = formatPem('CERTIFICATE REQUEST', der);
const certificate = formatPem('CERTIFICATE', der);

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'accepted';
}

test('a formatted block has lines of 64 characters and a final newline', () => {
  const lines = csr.split('\n');
  expect(lines[0]).toBe('-----BEGIN CERTIFICATE REQUEST-----');
  expect(lines.slice(1, -2).map((line) => line.length)).toEqual([64, 64, 8]);
  expect(csr.endsWith('-----END CERTIFICATE REQUEST-----\n')).toBe(true);
});

describe('texts that contain the request', () => {
  test.each([
    ['as formatted', csr],
    ['with CRLF', csr.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\uFEFF${csr}`],
    ['without the final newline', csr.trimEnd()],
    ['with explanatory text around it', `Certificate Request:\n    Data:\n${csr}that was it\n`],
    ['with blanks at the ends of lines', csr.replaceAll('\n', ' \t\n')],
    ['on one line', wrapped(1000)],
    ['in lines of 76', wrapped(76)],
    ['with the older label', csr.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')],
  ])('%s', (_, text) => {
    expect(parsePem(text, csrLabels)).toEqual(der);
  });
});

function wrapped(width: number): string {
  const body = der.toString('base64').replaceAll(new RegExp(`.{1,${width}}`, 'g'), '$&\n');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body}-----END CERTIFICATE REQUEST-----\n`;
}

describe('texts that are rejected', () => {
  const base64 = der.toString('base64');
  const around = (body: string): string =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
  test.each([
    ['nothing', '', 'wrong_pem_block'],
    ['bare base64', base64, 'wrong_pem_block'],
    ['two requests', csr + csr, 'wrong_pem_block'],
    ['a certificate', certificate, 'wrong_pem_block'],
    ['a request and a certificate', csr + certificate, 'wrong_pem_block'],
    ['an empty block', around(''), 'malformed_pem'],
    ['a header', around(`Proc-Type: 4,ENCRYPTED\n\n${base64}`), 'malformed_pem'],
    ['base64url', around(Buffer.from([0xfb, 0xff]).toString('base64url')), 'malformed_pem'],
    ['missing padding', around('AA'), 'malformed_pem'],
    ['padding in the middle', around('AA==AA=='), 'malformed_pem'],
    ['stray bits before the padding', around('AB=='), 'malformed_pem'],
    ['a stray character', around(`${base64.slice(0, 10)}!${base64.slice(10)}`), 'malformed_pem'],
    ['a blank inside a line', around(`${base64.slice(0, 10)} ${base64.slice(10)}`), 'malformed_pem'],
    ['dashes inside of a block', around('AAAA\n-----\nAAAA'), 'malformed_pem'],
    ['no END line', csr.split('-----END')[0] ?? '', 'malformed_pem'],
    ['no BEGIN line', `${base64}\n-----END CERTIFICATE REQUEST-----`, 'malformed_pem'],
    ['labels that differ', csr.replace('END CERTIFICATE REQUEST', 'END CERTIFICATE'), 'malformed_pem'],
    ['a block in a block', csr.replace('\n', `\n${csr}`), 'malformed_pem'],
    ['a boundary with four dashes', csr.replace('REQUEST-----\n', 'REQUEST----\n'), 'malformed_pem'],
    ['a label in lower case', csr.replaceAll('CERTIFICATE REQUEST', 'certificate request'), 'malformed_pem'],
    ['with a private key', csr + formatPem('PRIVATE KEY', der), 'private_key_in_upload'],
    ['an EC private key', formatPem('EC PRIVATE KEY', der), 'private_key_in_upload'],
    ['an encrypted private key', formatPem('ENCRYPTED PRIVATE KEY', der), 'private_key_in_upload'],
    ['the start of a private key only', '-----BEGIN RSA PRIVATE KEY-----\nMII', 'private_key_in_upload'],
    ['a private key hidden in a line', `x-----begin private key-----\n${csr}`, 'private_key_in_upload'],
  ])('%s', (_, text, code) => {
    expect(codeOf(() => parsePem(text, csrLabels))).toBe(code);
  });

  test.each<[string, Buffer, RegExp]>([
    [
      'DER',
      Buffer.concat([Buffer.of(0x30, 0x82, 1, 2), der]),
      /the file is DER: convert it with openssl x509 or openssl req/,
    ],
    [
      'UTF-16',
      Buffer.from(`\uFEFF${formatPem(certificateLabel, der)}`, 'utf16le'),
      /is UTF-16: save it as UTF-8/,
    ],
    [
      'PEM with indented lines',
      Buffer.from(certificate.replace(/^/gm, '  ')),
      /its lines are indented: remove the blanks before them/,
    ],
    ['text', Buffer.from('hello'), /expected CERTIFICATE$/],
  ])('names the way out of a file in %s', (_, bytes, message) => {
    const text = bytes.toString('utf8');
    expect(() => splitChain(text)).toThrow(message);
    expect(() => parsePem(text, [certificateLabel])).toThrow(/no PEM block found/);
  });

  test.each([
    ['line breaks as \\n', csr.replaceAll('\n', '\\n'), /line 1 has \\n as text: send line breaks instead/],
    [
      'line breaks as \\n in the first line alone',
      csr.replace('\n', '\\n'),
      /line 1 has \\n as text: send line breaks instead/,
    ],
    [
      'an indented block',
      csr.replace(/^(?!-)/gm, ' '),
      /block of line 1 has blanks in its lines: remove them/,
    ],
  ])('names the reason for %s', (_, text, message) => {
    expect(() => parsePem(text, csrLabels)).toThrow(message);
  });

  test('ignores lines of dashes around blocks', () => {
    expect(parsePem(`-----\n----- my request -----\n${csr}----------\n`, csrLabels)).toEqual(
      parsePem(csr, csrLabels),
    );
  });

  test('the error about a private key contains nothing of the key', () => {
    const secret = formatPem('PRIVATE KEY', Buffer.from('secret octets of a key'));
    expect(() => parsePem(secret, csrLabels)).toThrow(InvalidInput);
    expect(() => parsePem(secret, csrLabels)).not.toThrow(/c2Vjc|secret octets/);
  });
});

describe('chains', () => {
  test('returns the certificates in their order', () => {
    const other = Buffer.from('other');
    expect(splitChain(certificate + formatPem('CERTIFICATE', other))).toEqual([der, other]);
  });

  test.each([
    ['nothing', '', 'wrong_pem_block'],
    ['another block between', certificate + csr, 'wrong_pem_block'],
    ['a private key after it', certificate + formatPem('PRIVATE KEY', der), 'private_key_in_upload'],
  ])('rejects %s', (_, text, code) => {
    expect(codeOf(() => splitChain(text))).toBe(code);
  });
});

test('blocks have their labels', () => {
  expect(parsePemBlocks(csr + certificate).map((block) => block.label)).toEqual([
    'CERTIFICATE REQUEST',
    'CERTIFICATE',
  ]);
});
