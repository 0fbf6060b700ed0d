import { randomInt, randomUUID } from 'node:crypto';

let lastMs = 0;
let count = 0;

/**
 * A new uuid of version 7 (RFC 9562 §5.7) for a row made at `now`. Within this process each one sorts after
 * those made before, also in the same millisecond: lists in order of creation need no more than the id to
 * break ties.
 */
export function newRowId(now: Date): string {
  const ms = now.getTime();
  // RFC 9562 §6.2, method 1: a counter of 26 bits, begun again in its lower half each millisecond.
  count = ms === lastMs ? count + 1 : randomInt(2 ** 25);
  lastMs = ms;
  return format(ms, count);
}

function format(ms: number, counter: number): string {
  const time = ms.toString(16).padStart(12, '0');
  // 12 bits after the version, 14 after the variant
  const high = (0x7000 | (counter >>> 14)).toString(16);
  const low = (0x8000 | (counter & 0x3fff)).toString(16);
  // the last 48 bits of a random uuid, which Node takes from a store of random octets
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${randomUUID().slice(24)}`;
}
