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

/** `host:port`, with an IPv6 address in brackets. */
export function hostPortOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
