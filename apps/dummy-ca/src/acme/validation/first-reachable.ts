import { AcmeProblem } from '@certloop/contracts';
import type { ValidationTime } from './validation-settings.js';

/**
 * Result of `attempt` for the first of the addresses that accepts a connection; the error of the last one if none does,
 * or of the one that does. A name may lead to addresses of both families while its server listens on one, and a firewall
 * may drop what is sent to the other.
 */
export async function atFirstReachable<T>(
  addresses: readonly string[],
  time: ValidationTime,
  attempt: (address: string, connectMs: number | undefined) => Promise<T>,
): Promise<T> {
  const [address = '', ...others] = addresses;
  try {
    return await attempt(address, connectLimitMs(time, others.length));
  } catch (error) {
    if (others.length === 0 || !isFailedConnection(error)) throw error;
    return atFirstReachable(others, time, attempt);
  }
}

/**
 * Milliseconds for connecting to an address while others follow: its share of the time that is left, at most
 * `maxConnectMs`. Undefined for the last address, which may use all the time that is left.
 */
export function connectLimitMs(
  { maxConnectMs, msLeft }: Pick<ValidationTime, 'maxConnectMs' | 'msLeft'>,
  others: number,
): number | undefined {
  return others === 0 ? undefined : Math.min(maxConnectMs, msLeft() / (others + 1));
}

function isFailedConnection(error: unknown): boolean {
  return (
    error instanceof AcmeProblem && (error.cause as NodeJS.ErrnoException | undefined)?.syscall === 'connect'
  );
}
