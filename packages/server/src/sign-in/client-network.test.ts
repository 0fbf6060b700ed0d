import { expect, test } from 'vitest';
import { networkOf } from './client-network.js';

test.each([
  ['IPv4', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['IPv4 seen through a socket of both families', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['IPv6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['another host of the same network', '2001:db8:1:2::9', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['another network of the same site', '2001:db8:1:ffff::9', '2001:db8:1:ffff::/64', '2001:db8:1::/48'],
  ['IPv6 with a zone', 'fe80::1%eth0', 'fe80::/64', 'fe80::/48'],
  ['no address', '', '', ''],
])('returns the networks of %s', (_situation, address, narrow, wide) => {
  expect([networkOf(address), networkOf(address, 48)]).toEqual([narrow, wide]);
});
