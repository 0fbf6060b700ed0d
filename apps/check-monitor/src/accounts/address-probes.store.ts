import { AppError } from '@certloop/contracts';
import { createGrowingCache } from '@certloop/server';
import { type Clock, type Micros, microsPerSecond } from '../instants.js';

const maxPerHour = 20;
const hour = 3600 * microsPerSecond;
const maxUsers = 10_000;

/** Bounds how many addresses without an account a user can find out about, since the refusal shows it. */
export interface AddressProbes {
  /** Throws too_many_requests with Retry-After where the user has named 20 unknown addresses within an hour. */
  require(userId: string): void;
  /** Counts an unknown address. */
  count(userId: string): void;
}

/** Each process counts for itself. */
export function createAddressProbes(clock: Clock): AddressProbes {
  const probes = createGrowingCache<Micros[]>(maxUsers);
  const recent = (userId: string) => (probes.get(userId) ?? []).filter((at) => at > clock.now() - hour);
  return {
    require: (userId) => {
      const [oldest, ...others] = recent(userId);
      if (oldest === undefined || others.length + 1 < maxPerHour) return;
      const seconds = Math.max(1, Math.ceil((oldest + hour - clock.now()) / microsPerSecond));
      throw new AppError('too_many_requests', `too many unknown addresses; try again in ${seconds} s`, {
        headers: { 'Retry-After': String(seconds) },
      });
    },
    count: (userId) => {
      probes.set(userId, [...recent(userId), clock.now()]);
    },
  };
}
