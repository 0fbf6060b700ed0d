import { describe, expect, test } from 'vitest';
import { refusalOfAddress } from './address-rules.js';

const always = [
  ['link-local, where metadata services live', '169.254.169.254'],
  ['metadata service of one cloud over IPv6', 'fd00:ec2::254'],
  ['metadata service within carrier-grade space', '100.100.100.200'],
  ['the wire server of Azure', '168.63.129.16'],
  ['the same, mapped', '::ffff:168.63.129.16'],
  ['metadata service of Google', 'fd20:ce::254'],
  ['name server of Amazon', 'fd00:ec2::253'],
  ['unspecified', '0.0.0.0'],
  ['unspecified IPv6', '::'],
  ['this network', '0.1.2.3'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['link-local IPv6', 'fe80::1'],
  ['multicast IPv6', 'ff02::1'],
  ['link-local mapped into IPv6', '::ffff:169.254.169.254'],
  ['link-local behind NAT64', '64:ff9b::a9fe:a9fe'],
  ['link-local behind 6to4', '2002:a9fe:a9fe::1'],
  ['link-local, IPv4-compatible', '::a9fe:a9fe'],
  ['link-local behind ISATAP', '2606:2800::5efe:a9fe:a9fe'],
  ['the same with a unique identifier', '2606:2800::200:5efe:a9fe:a9fe'],
  ['link-local behind ISATAP in a private network', 'fd12:3456::5efe:a9fe:a9fe'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['no address', 'localhost'],
] as const;

const onlyWhenAllowed = [
  ['loopback', '127.0.0.1'],
  ['all of loopback', '127.255.255.254'],
  ['loopback IPv6', '::1'],
  ['private 10/8', '10.0.0.1'],
  ['private 172.16/12, last', '172.31.255.255'],
  ['private 192.168/16', '192.168.1.1'],
  ['carrier-grade', '100.64.0.1'],
  ['unique-local', 'fd12:3456::1'],
  ['loopback mapped into IPv6', '::ffff:127.0.0.1'],
  ['private behind NAT64', '64:ff9b::a00:1'],
  ['loopback, IPv4-compatible', '::127.0.0.1'],
  ['private behind ISATAP', '2606:2800::5efe:a00:1'],
  ['public behind ISATAP in a private network', 'fd12:3456::5efe:5db8:d822'],
] as const;

const free = [
  ['public IPv4', '93.184.216.34'],
  ['one past 172.16/12', '172.32.0.1'],
  ['public IPv6', '2606:2800:220:1:248:1893:25c8:1946'],
  ['public mapped into IPv6', '::ffff:93.184.216.34'],
  ['public behind ISATAP', '2606:2800::200:5efe:5db8:d822'],
] as const;

describe('refusalOfAddress', () => {
  test.each(always)('%s → never', (_, address) => {
    expect(refusalOfAddress(address, { allowPrivate: true })).toBeDefined();
    expect(refusalOfAddress(address, { allowPrivate: false })).toBeDefined();
  });

  test.each(onlyWhenAllowed)('%s → only when private targets are allowed', (_, address) => {
    expect(refusalOfAddress(address, { allowPrivate: true })).toBeUndefined();
    expect(refusalOfAddress(address, { allowPrivate: false })).toBe('is a private or loopback address');
  });

  test.each(free)('%s → always', (_, address) => {
    expect(refusalOfAddress(address, { allowPrivate: false })).toBeUndefined();
  });
});
