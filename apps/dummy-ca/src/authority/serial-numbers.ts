/**
 * First serial number of a run: 16 octets, the milliseconds of its start in 6, then 5 random ones, then a
 * counter of 5 that begins at zero. A later run of the same root so begins above every number of an earlier
 * one, and two runs at once do not meet. Positive, since the leading bits of the milliseconds are clear
 * until the year 6429, and far below the 20 octets of RFC 5280 §4.1.2.2.
 */
export function firstSerialNumber(startedAt: Date, random: Uint8Array): bigint {
  const milliseconds = BigInt(startedAt.getTime());
  const entropy = BigInt(`0x${Buffer.from(random.subarray(0, randomOctets)).toString('hex')}`);
  return (milliseconds << 80n) | (entropy << 40n);
}

/** How many numbers the counter of a run has. */
export const serialNumbersOfARun = 1n << 40n;

/** Random octets that `firstSerialNumber` takes. */
export const randomOctets = 5;

/** Hands out serial numbers, each one more than the last. */
export interface SerialNumbers {
  next(): bigint;
}

/** Memory of a counter that stands at zero, which threads can share. */
export const sharedCounter = (): SharedArrayBuffer => new SharedArrayBuffer(8);

/** Counts up from `first`, together with everyone who counts from it by the same counter. */
export function countFrom(first: bigint, counter = sharedCounter()): SerialNumbers {
  const given = new BigInt64Array(counter);
  return { next: () => first + Atomics.add(given, 0, 1n) };
}

/** Lower-case hex without a sign octet. */
export function formatSerialNumber(serialNumber: bigint): string {
  const digits = serialNumber.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
