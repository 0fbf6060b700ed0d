import type { Target } from '@certloop/contracts';

/** Settings of a target, in normal form. */
export interface TargetSettings
  extends Pick<
    Target,
    'host' | 'port' | 'protocol' | 'sni' | 'mode' | 'everySeconds' | 'graceSeconds' | 'enabled'
  > {
  /** Null: the addresses of the host. */
  readonly addresses: readonly string[] | null;
}

/**
 * Seconds for which a fault of a target is accepted: none before the first certificate of an FQDN whose certificates are
 * adopted, since nothing was well before.
 */
export function acceptedSecondsOf(
  { graceSeconds, adopt }: Pick<TargetSettings, 'graceSeconds'> & { readonly adopt: boolean | null },
  hasCertificate: boolean,
): number {
  return adopt === true && !hasCertificate ? 0 : graceSeconds;
}

/** `host:port`, with an IPv6 address in brackets. */
export function hostPortOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
