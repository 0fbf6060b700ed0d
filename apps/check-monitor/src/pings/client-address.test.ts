import { describe, expect, test } from 'vitest';
import { originOf, parseRange } from './client-address.js';

const trusted = ['10.0.0.0/8', '::1', '2001:db8::/32'].map(parseRange);
const proxy = '10.1.2.3';

describe('origin of a request', () => {
  test.each([
    ['no proxy', '192.0.2.1', undefined, '192.0.2.1'],
    ['a stranger claims to be another', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['a trusted proxy without a claim', proxy, undefined, proxy],
    ['a trusted proxy', proxy, '198.51.100.7', '198.51.100.7'],
    ['the first of several', proxy, ' 198.51.100.7 , 10.0.0.1', '198.51.100.7'],
    ['a port', proxy, '198.51.100.7:1234', '198.51.100.7'],
    ['IPv6', proxy, '2001:DB8:0::1', '2001:db8::1'],
    ['IPv6 with a zone', proxy, 'fe80::1%eth0', 'fe80::1'],
    ['IPv4 in the form of IPv6', proxy, '::ffff:198.51.100.7', '::ffff:198.51.100.7'],
    ['IPv6 with brackets and port', proxy, '[2001:db8::1]:443', '2001:db8::1'],
    ['IPv6 with brackets', proxy, '[2001:DB8::1]', '2001:db8::1'],
    ['IPv6 with half a bracket', proxy, '[2001:db8::1', null],
    ['IPv6 with brackets and a word', proxy, '[2001:db8::1]:https', null],
    ['empty brackets', proxy, '[]:443', null],
    ['a word', proxy, 'unknown', null],
    ['an empty header', proxy, '', null],
    ['an incomplete address', proxy, '127.1', null],
    ['a proxy of IPv6', '2001:db8::5', '198.51.100.7', '198.51.100.7'],
    ['a peer seen through a socket of both families', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['a closed connection', undefined, '198.51.100.7', null],
  ])('%s', (_situation, peer, forwardedFor, remoteAddr) => {
    expect(originOf({ peer, forwardedFor, forwardedProto: undefined }, trusted).remoteAddr).toBe(remoteAddr);
  });

  test.each([
    ['a stranger', '192.0.2.1', 'https', 'http'],
    ['a trusted proxy', proxy, 'https', 'https'],
    ['a trusted proxy without the header', proxy, undefined, 'http'],
    ['a long word', proxy, 'abcdefghijklm', 'abcdefghij'],
  ])('scheme from %s', (_situation, peer, forwardedProto, scheme) => {
    expect(originOf({ peer, forwardedFor: undefined, forwardedProto }, trusted).scheme).toBe(scheme);
  });
});
