import { AcmeProblem } from '@certloop/contracts';

/**
 * What `attempt` gives for the first of the addresses that takes a connection; what it throws for the last one when
 * none does, or for one that does. A name may lead to addresses of both families while its server listens on one.
 */
export async function atFirstReachable<T>(
  addresses: readonly string[],
  attempt: (address: string) => Promise<T>,
): Promise<T> {
  const [address = '', ...others] = addresses;
  try {
    return await attempt(address);
  } catch (error) {
    if (others.length === 0 || !isRefusedConnection(error)) throw error;
    return atFirstReachable(others, attempt);
  }
}

function isRefusedConnection(error: unknown): boolean {
  return (
    error instanceof AcmeProblem && (error.cause as NodeJS.ErrnoException | undefined)?.syscall === 'connect'
  );
}
