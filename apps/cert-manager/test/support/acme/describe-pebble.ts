import { describeEachDialect } from '@certloop/db/testing';
import { hasProgram, programOfToday } from '@certloop/server/testing';
import { describe, test } from 'vitest';

type DescribeEach = typeof describeEachDialect;

/** Describes suites that order from pebble. Where a program is not installed, they are skipped and named as skipped. */
function describeWith(programs: Readonly<Record<string, readonly string[]>>): DescribeEach {
  const missing = Object.entries(programs)
    .filter(([name, args]) => !hasProgram(name, 'nothing is ordered from pebble', args))
    .map(([name]) => name);
  if (missing.length === 0) return describeEachDialect;
  return (name) =>
    // skipped where pebble is not installed, which hasProgram has named: no CA of ours may stand in for a foreign one
    describe.skip(name, () => test(`needs ${missing.join(', ')}`, () => undefined));
}

/** With the pebble of the machine's release, which the gate installs. */
export const describeAgainstPebble = (...suite: Parameters<DescribeEach>) =>
  describeWith({ pebble: ['-help'], 'pebble-challtestsrv': ['-help'], openssl: ['version'] })(...suite);

/** With the pebble of Debian's next release, which `scripts/clients-of-today.mjs` fetches. */
export const describeAgainstPebbleOfToday = (...suite: Parameters<DescribeEach>) =>
  describeWith({
    [programOfToday('pebble')]: ['-help'],
    [programOfToday('pebble-challtestsrv')]: ['-help'],
    openssl: ['version'],
  })(...suite);
