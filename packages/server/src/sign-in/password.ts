import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createLimiter } from '../concurrency/limiter.js';
import { createRankedLimiter } from '../concurrency/ranked-limiter.js';

/** Cost of scrypt (RFC 7914 §2): memory and time N, block size r, parallel parts p. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** About 160 ms and 16 MiB on one core. */
export const usualCost: ScryptCost = { N: 16_384, r: 8, p: 5 };

/**
 * Whose turn a password is. At a place that the account is known from: how many attempts of the account there failed
 * lately or have not ended, so that guesses on many accounts at once do not delay an owner who tries for the first time.
 */
export type PasswordTurn = 'stranger' | number;

/**
 * Hashing of passwords, three at once at most: more would leave no core for anything else. Strangers have a queue of
 * their own, so that no one else waits for them.
 */
export interface Passwords {
  /** `scrypt$N$r$p$salt$key`, salt and key in Base64url. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password makes the hash; without a hash it takes as long and is false. Throws too_many_requests when too
   * many wait, but never for turn 0.
   */
  verify(password: string, hash: string | undefined, turn: PasswordTurn): Promise<boolean>;
  /** Whether the hash was made at another cost than the present one. */
  isOutdated(hash: string): boolean;
}

export function createPasswords(cost: ScryptCost = usualCost): Passwords {
  // ten seconds of work each wait; more is refused with a time to retry
  const forKnown = createRankedLimiter({ atOnce: 2, maxRank: 10, maxWaiting: 128 });
  const forStrangers = createLimiter({ atOnce: 1, maxWaiting: 64 });
  const dummySalt = randomBytes(saltBytes);
  return {
    hash: async (password) => {
      const salt = randomBytes(saltBytes);
      return format(cost, salt, await forKnown(0, () => derive(password, salt, cost)));
    },
    verify: async (password, hash, turn) => {
      const stored = hash === undefined ? undefined : parse(hash);
      const work = () => derive(password, stored?.salt ?? dummySalt, stored?.cost ?? cost);
      const key = await (turn === 'stranger' ? forStrangers(work) : forKnown(turn, work));
      return stored !== undefined && timingSafeEqual(key, stored.key);
    },
    isOutdated: (hash) => {
      const at = parse(hash)?.cost;
      return at === undefined || at.N !== cost.N || at.r !== cost.r || at.p !== cost.p;
    },
  };
}

const saltBytes = 16;
const keyBytes = 32;

function derive(password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
  // One person's é may be two code points on another keyboard (NFKC as in RFC 8265 §4.2.1).
  const normal = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(normal, salt, keyBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function format({ N, r, p }: ScryptCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

interface StoredPassword {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

function parse(hash: string): StoredPassword | undefined {
  const [, N, r, p, salt, key] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]{43})$/.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return undefined;
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}
