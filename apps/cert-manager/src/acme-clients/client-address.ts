import type { OwnAddress } from '../issuance/challenges/web-server-lines.js';

/** Setting that keeps clients from working, or will. */
export interface ClientWarning {
  readonly code: string;
  readonly message: string;
}

/** Address of the one directory of the installation (RFC 8555 §7.1.1). */
export function directoryUrlOf({ origin }: OwnAddress): string {
  return `${origin}/acme/directory`;
}

/** Warns if the address of the directory is only that on which the service listens. */
export function addressWarnings(own: OwnAddress): ClientWarning[] {
  if (own.isStated) return [];
  const message = `CERT_MANAGER_PUBLIC_URL is not set, so ${directoryUrlOf(own)} is only where the service listens: set it to the address at which clients reach it, as their accounts and orders are bound to it`;
  return [{ code: 'public_url_missing', message }];
}
