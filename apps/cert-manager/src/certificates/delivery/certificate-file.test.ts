import { describe, expect, test } from 'vitest';
import { certificateFile, isKnown } from './certificate-file.js';

const block = (text: string) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(text).toString('base64')}\n-----END CERTIFICATE-----\n`;
const [leaf, one, two] = [block('leaf'), block('intermediate 1'), block('intermediate 2')];
const whole = { id: 'a', pem: `${leaf}${one}${two}`, fqdn: 'www.example.org' };

describe('the file of a certificate', () => {
  test.each([
    ['leaf', leaf, 'www.example.org.pem'],
    ['chain', `${one}${two}`, 'www.example.org-chain.pem'],
    ['fullchain', `${leaf}${one}${two}`, 'www.example.org-fullchain.pem'],
    ['der', 'leaf', 'www.example.org.cer'],
  ] as const)('contains the requested parts as %s', (format, content, name) => {
    const file = certificateFile(whole, format);
    expect(file?.bytes.toString()).toBe(content);
    expect(file?.name).toBe(name);
    expect(file?.etag).toMatch(new RegExp(`^"[0-9a-f]{64}\\.${format}"$`));
  });

  test('has an ETag that differs between certificates and formats', () => {
    const other = { id: 'b', pem: `${block('another leaf')}${one}`, fqdn: 'www.example.org' };
    const etags = [whole, other].flatMap((certificate) =>
      (['leaf', 'fullchain', 'der', 'p7b'] as const).map(
        (format) => certificateFile(certificate, format)?.etag,
      ),
    );
    expect(new Set(etags).size).toBe(8);
  });

  test('without intermediates, has an empty chain, and the full chain is the leaf', () => {
    const alone = { id: 'c', pem: leaf, fqdn: '*.example.org' };
    expect(certificateFile(alone, 'chain')).toBeUndefined();
    expect(certificateFile(alone, 'fullchain')?.bytes.toString()).toBe(leaf);
    expect(certificateFile(alone, 'p7b')?.name).toBe('_.example.org.p7b');
  });
});

describe('If-None-Match', () => {
  test.each([
    [undefined, false],
    ['', false],
    ['"a.leaf"', true],
    ['W/"a.leaf"', true],
    ['"b.leaf", "a.leaf"', true],
    ['"a.der"', false],
    ['a.leaf', false],
    ['*', true],
  ])('%j matches "a.leaf": %s', (header, known) => {
    expect(isKnown(header, '"a.leaf"')).toBe(known);
  });
});
