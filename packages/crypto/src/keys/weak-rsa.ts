import { InvalidInput } from '@certloop/contracts';
import { parseDer } from '../der/der.js';
import { parsePublicKey } from './public-keys.js';

/** Facts of an RSA key that are checked beyond its size. */
export interface RsaFacts {
  readonly exponent: bigint;
  /** Why the private key can be computed from the public one; undefined as far as these checks go. */
  readonly weakness: string | undefined;
  readonly weaknessCode?: WeaknessCode | undefined;
}

/** Kinds of weakness; the square of one prime has the closest primes of all. */
export type WeaknessCode = 'small_prime' | 'close_primes' | 'roca';

interface Weakness {
  readonly code: WeaknessCode;
  readonly reason: string;
}

/** Facts of the RSA or RSA-PSS key in a SubjectPublicKeyInfo; undefined for other kinds. Throws InvalidInput. */
export function describeRsaKey(spkiDer: Buffer): RsaFacts | undefined {
  const key = parsePublicKey(parseDer(spkiDer, 'public key'));
  if (key.kind !== 'RSA' && key.kind !== 'RSA-PSS') return undefined;
  if (key.modulus.length > maxModulusOctets) {
    throw new InvalidInput('The RSA key is larger than 16384 bits', { code: 'unsupported_key' });
  }
  const { reason: weakness, code: weaknessCode } = findWeakness(numberOf(key.modulus)) ?? {};
  return { exponent: numberOf(key.exponent), weakness, weaknessCode };
}

// judging a larger key would be a lever to keep a core busy
const maxModulusOctets = 2048;

/**
 * Why a modulus can be factored without effort, or undefined: a factor below 752, a square, primes so close to each
 * other that 100 rounds of Fermat's method find them, or the structure of keys of an Infineon library (ROCA,
 * CVE-2017-15361). These are the checks that public CAs make (CA/Browser Forum Baseline Requirements 6.1.1.3), without
 * their lists of compromised keys, such as those of Debian (2008).
 */
export function rsaWeakness(modulus: bigint): string | undefined {
  return findWeakness(modulus)?.reason;
}

function findWeakness(modulus: bigint): Weakness | undefined {
  const residues = residuesOf(modulus);
  const factor = smallPrimes.find((_, index) => residues[index] === 0);
  if (factor !== undefined) return { code: 'small_prime', reason: `its modulus is divisible by ${factor}` };
  const root = squareRoot(modulus);
  if (root * root === modulus) {
    return { code: 'close_primes', reason: 'its modulus is the square of one number' };
  }
  if (hasCloseFactors(modulus, root)) {
    return { code: 'close_primes', reason: 'the two primes of its modulus are too close to each other' };
  }
  return isRoca(residues)
    ? { code: 'roca', reason: 'it was made by a faulty library (ROCA, CVE-2017-15361)' }
    : undefined;
}

const fermatRounds = 100;

/** Whether the modulus is a difference of two squares near its root. */
function hasCloseFactors(modulus: bigint, root: bigint): boolean {
  let middle = root + 1n;
  let rest = middle * middle - modulus;
  for (let round = 0; round < fermatRounds; round += 1) {
    if (isSquare(rest)) return true;
    rest += 2n * middle + 1n;
    middle += 1n;
  }
  return false;
}

function isSquare(value: bigint): boolean {
  // 44 of 256 endings and 192 of 5,005 residues belong to squares: the rest needs no root
  if (!squareEndings.has(Number(value & 255n))) return false;
  if (!squareResidues.has(Number(value % 5005n))) return false;
  const root = squareRoot(value);
  return root * root === value;
}

const squaresModulo = (modulus: number): ReadonlySet<number> =>
  new Set(Array.from({ length: modulus }, (_, number) => (number * number) % modulus));
const squareEndings = squaresModulo(256);
const squareResidues = squaresModulo(5005);

/** The largest number whose square is not above the value. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  // Newton's method from above falls until it is there
  let root = firstGuess(value);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** A little above the root: 50 bits of it are right. */
function firstGuess(value: bigint): bigint {
  const bits = value.toString(16).length * 4;
  const shift = BigInt(Math.max(0, bits - 104) & ~1);
  const head = Math.sqrt(Number((value >> shift) + 1n));
  return (BigInt(Math.ceil(head * (1 + 2 ** -50))) + 1n) << (shift / 2n);
}

/** The primes from 3 to 751: an even modulus is refused elsewhere. */
const smallPrimes: readonly number[] = Array.from({ length: 375 }, (_, index) => 2 * index + 3).filter(
  (number) => {
    for (let divisor = 3; divisor * divisor <= number; divisor += 2) if (number % divisor === 0) return false;
    return true;
  },
);

/** Some of the primes with their product, which is below 2^53. */
interface Batch {
  readonly product: bigint;
  readonly primes: readonly number[];
}

const batches: readonly Batch[] = batched(smallPrimes);

function batched(primes: readonly number[]): Batch[] {
  const found: { product: number; primes: number[] }[] = [];
  for (const prime of primes) {
    const last = found.at(-1);
    if (last !== undefined && last.product * prime < 2 ** 53) {
      last.product *= prime;
      last.primes.push(prime);
    } else found.push({ product: prime, primes: [prime] });
  }
  return found.map(({ product, primes: all }) => ({ product: BigInt(product), primes: all }));
}

/** Residues of the modulus by the small primes, one long division for several of them. */
function residuesOf(modulus: bigint): number[] {
  return batches.flatMap(({ product, primes }) => {
    const residue = Number(modulus % product);
    return primes.map((prime) => residue % prime);
  });
}

/** Powers of 65537 by each prime up to 701, of which keys of 2048 bits and more are made by that library. */
const rocaResidues: readonly ReadonlySet<number>[] = smallPrimes
  .filter((prime) => prime <= 701)
  .map((prime) => {
    const powers = new Set<number>();
    for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power);
    return powers;
  });

/**
 * Nemec and others, The Return of Coppersmith's Attack, 2017, 2.2: both primes, and so the modulus, are powers of 65537
 * by each small prime. Of moduli below 1984 bits that holds for the primes up to 167 only; they are refused for their size.
 */
function isRoca(residues: readonly number[]): boolean {
  return rocaResidues.every((powers, index) => powers.has(residues[index] ?? 0));
}

function numberOf(octets: Buffer): bigint {
  return BigInt(`0x0${octets.toString('hex')}`);
}
