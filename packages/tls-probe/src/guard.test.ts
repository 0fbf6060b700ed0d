import { expect, test } from 'vitest';
import { createGuard } from './guard.js';

const guard = createGuard({ allowCidrs: ['10.1.0.0/16', 'fd12::/16'], ports: [443, 8443] });

test.each([
  ['192.0.2.1', 443, 'address_not_allowed'],
  ['93.184.216.34', 443, undefined],
  ['93.184.216.34', 22, 'port_not_allowed'],
  ['10.1.2.3', 8443, undefined],
  ['10.2.2.3', 443, 'address_not_allowed'],
  ['::ffff:10.1.2.3', 443, undefined],
  ['::ffff:10.2.2.3', 443, 'address_not_allowed'],
  // 6to4 of 10.2.2.3
  ['2002:a02:203::', 443, 'address_not_allowed'],
  ['fd12::1', 443, undefined],
  ['fd13::1', 443, 'address_not_allowed'],
  ['127.0.0.1', 443, 'address_not_allowed'],
  ['169.254.169.254', 443, 'address_not_allowed'],
  ['no address', 443, 'address_not_allowed'],
])('judges %s port %d as %s', (address, port, refusal) => {
  expect(guard(address, port)).toBe(refusal);
});

test.each(['169.254.169.254', 'fe80::1', '224.0.0.1', '0.0.0.0', 'fd00:ec2::254', '255.255.255.255'])(
  'refuses %s although all networks are allowed',
  (address) => {
    expect(createGuard({ allowCidrs: ['0.0.0.0/0', '::/0'] })(address, 443)).toBe('address_not_allowed');
  },
);

test.each(['10.0.0.0', '10.0.0.0/', '10.0.0.0/33', 'localhost/8', '/8'])(
  'throws for the network %j',
  (cidr) => {
    expect(() => createGuard({ allowCidrs: [cidr] })).toThrow(
      expect.objectContaining({ name: 'RangeError' }),
    );
  },
);
