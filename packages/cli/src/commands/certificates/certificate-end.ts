interface Ends {
  readonly expiresAt: string;
  readonly chainExpiresAt?: string | undefined;
}

/** When clients no longer take a certificate: when it ends, or an intermediate of its chain before it. */
export function endOf({ expiresAt, chainExpiresAt }: Ends): string {
  return chainExpiresAt ?? expiresAt;
}

export const expiryDay = (certificate: Ends): string => endOf(certificate).slice(0, 10);
