import { checkPrimeSync, createHash, generatePrimeSync } from 'node:crypto';
import {
  encodeBitOctets,
  encodeInteger,
  encodeNull,
  encodeOctetString,
  encodeOid,
  encodeSequence,
} from '../src/der/der-writer.js';
import { oid } from '../src/der/oids.js';

/** A random prime. */
export const prime = (bits: number): bigint => generatePrimeSync(bits, { bigint: true });

/** The next prime from the number on. */
export function primeFrom(number: bigint): bigint {
  let candidate = number | 1n;
  while (!checkPrimeSync(candidate)) candidate += 2n;
  return candidate;
}

/** A prime as the faulty library makes it (2.1 of the paper): k * M + (65537^a mod M). */
export function rocaPrime(bits: number, firstPower: bigint): bigint {
  const primes = [];
  for (let number = 2n; number <= 701n; number += 1n) if (checkPrimeSync(number)) primes.push(number);
  const product = primes.reduce((all, one) => all * one, 1n);
  const multiples = 2n ** BigInt(bits - 1) / product;
  for (let attempt = 1n; ; attempt += 1n) {
    let power = 1n;
    for (let step = 0n; step < firstPower + attempt; step += 1n) power = (power * 65_537n) % product;
    const candidate = (multiples + attempt) * product + power;
    if (checkPrimeSync(candidate)) return candidate;
  }
}

/** The key of RSA that these primes make, with a signature in PKCS #1 v1.5 by SHA-256. */
export function rsaKeyOf(primes: readonly bigint[], exponent = 65_537n) {
  const modulus = primes.reduce((all, one) => all * one, 1n);
  const octets = Math.ceil(modulus.toString(16).length / 2);
  const numbers = encodeSequence(encodeInteger(modulus), encodeInteger(exponent));
  return {
    spki: encodeSequence(
      encodeSequence(encodeOid(oid.rsaEncryption), encodeNull()),
      encodeBitOctets(numbers),
    ),
    sign: (signed: Buffer): Buffer => {
      const digest = encodeSequence(
        encodeSequence(encodeOid('2.16.840.1.101.3.4.2.1'), encodeNull()),
        encodeOctetString(createHash('sha256').update(signed).digest()),
      );
      const padding = Buffer.alloc(octets - digest.length - 3, 0xff);
      const padded = Buffer.concat([Buffer.of(0, 1), padding, Buffer.of(0), digest]);
      const value = numberOf(padded);
      // the Chinese remainder of the powers by each prime (RFC 8017 §5.1.2)
      const sum = primes.reduce((total, one) => {
        const rest = modulus / one;
        const power = powerOf(value % one, inverseOf(exponent, one - 1n), one);
        return total + power * rest * inverseOf(rest % one, one);
      }, 0n);
      return Buffer.from((sum % modulus).toString(16).padStart(octets * 2, '0'), 'hex');
    },
  };
}

const numberOf = (octets: Buffer): bigint => BigInt(`0x${octets.toString('hex')}`);

function powerOf(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let power = 1n;
  for (const bit of exponent.toString(2)) {
    power = (power * power) % modulus;
    if (bit === '1') power = (power * base) % modulus;
  }
  return power;
}

/** The inverse by Euclid's algorithm. */
function inverseOf(value: bigint, modulus: bigint): bigint {
  let [rest, last, factor, before] = [value % modulus, modulus, 1n, 0n];
  while (rest > 0n) {
    const times = last / rest;
    [rest, last] = [last - times * rest, rest];
    [factor, before] = [before - times * factor, factor];
  }
  return ((before % modulus) + modulus) % modulus;
}
