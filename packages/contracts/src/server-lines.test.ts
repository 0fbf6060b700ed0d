import { describe, expect, test } from 'vitest';
import { readServerLines } from './server-lines.js';

describe('a list of servers', () => {
  test.each([
    ['www.example.com', { host: 'www.example.com' }],
    ['www.example.com:8443', { host: 'www.example.com', port: 8443 }],
    ['mail.example.com/SMTP', { host: 'mail.example.com', protocol: 'smtp' }],
    ['db.example.com:5433/postgres', { host: 'db.example.com', port: 5433, protocol: 'postgres' }],
    ['192.0.2.1:443 www.example.com', { host: '192.0.2.1', port: 443, fqdn: 'www.example.com' }],
    ['10.0.0.1\t*.example.com # behind', { host: '10.0.0.1', fqdn: '*.example.com' }],
    ['2001:db8::1/imap', { host: '2001:db8::1', protocol: 'imap' }],
    ['[2001:db8::1]:993', { host: '2001:db8::1', port: 993 }],
    ['bücher.example.', { host: 'bücher.example.' }],
    ['_dmarc_host.example', { host: '_dmarc_host.example' }],
  ])('reads %s', (text, server) => {
    expect(readServerLines(text)).toEqual({ servers: [{ line: 1, ...server }], bad: [] });
  });

  test.each([
    ['https://www.example.com/', 'is an address of a page'],
    ['www.example.com/https', 'has the protocol "https"; choose one of tls, smtp,'],
    ['www.example.com/', 'has the protocol ""'],
    ['www.example.com:0', 'has the port "0"; a port is a number from 1 to 65535.'],
    ['www.example.com:65536', 'has the port "65536"'],
    ['www.example.com:', 'has the port ""'],
    [':443', 'has no host.'],
    ['[::1', 'has no host.'],
    ['*.example.com', 'is a wildcard'],
    ['www..example.com', 'is neither a host name nor an IP address'],
    ['a?b.example', 'is neither a host name'],
    ['one two three', 'has 3 words'],
    [`${'a'.repeat(64)}.example`, 'is neither a host name'],
  ])('says what is wrong with %s', (text, message) => {
    const { servers, bad } = readServerLines(text);
    expect(servers).toEqual([]);
    expect(bad).toEqual([{ line: 1, text, message: expect.stringContaining(message) }]);
  });

  test('omits comments, blank lines and servers that it has named, and numbers the lines', () => {
    const text = '# ours\r\n\r\nwww.example.com\n  WWW.example.com # again\nwww.example.com:444\n:1\n';
    expect(readServerLines(text)).toEqual({
      servers: [
        { line: 3, host: 'www.example.com' },
        { line: 5, host: 'www.example.com', port: 444 },
      ],
      bad: [{ line: 6, text: ':1', message: expect.any(String) }],
    });
  });
});
