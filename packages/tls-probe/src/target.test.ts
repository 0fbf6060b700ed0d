import { describe, expect, test } from 'vitest';
import { parseHost, parsePlace } from './target.js';

describe('parsePlace', () => {
  test.each([
    ['Example.COM', { host: 'example.com', port: 443 }],
    ['example.com.:8443', { host: 'example.com', port: 8443 }],
    ['bücher.example:1', { host: 'xn--bcher-kva.example', port: 1 }],
    ['192.0.2.1:65535', { host: '192.0.2.1', port: 65_535 }],
    ['2001:DB8::1', { host: '2001:db8::1', port: 443 }],
    ['[2001:db8::1]', { host: '2001:db8::1', port: 443 }],
    ['[2001:db8::1]:25', { host: '2001:db8::1', port: 25 }],
  ])('reads %s', (text, place) => {
    expect(parsePlace(text, 443)).toEqual(place);
  });

  test.each([
    '',
    ':443',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '0177.0.0.1',
    '①27.0.0.1',
    'a b.test',
    'a..test',
    'https://a.test',
    'a.test/x',
    'user@a.test',
    '[a.test]:443',
    '[::1',
    'fe80::1%eth0',
    '-a.test',
    'a\n.test',
    `${'a'.repeat(64)}.test`,
  ])('refuses the host of %j', (text) => {
    expect(() => parsePlace(text, 443)).toThrow(expect.objectContaining({ code: 'invalid_host' }));
  });

  test.each(['a.test:0', 'a.test:65536', 'a.test:', 'a.test:+1', 'a.test:0x50', '[::1]:99999'])(
    'refuses the port of %j',
    (text) => {
      expect(() => parsePlace(text, 443)).toThrow(expect.objectContaining({ code: 'invalid_port' }));
    },
  );

  test('names host and spelling in the refusal', () => {
    expect(() => parseHost('127.1')).toThrow(
      /^host: "127\.1" is neither a host name nor an IP address\. Write /,
    );
  });
});
