/** The one directory of the installation (RFC 8555 §7.1.1). */
export interface AcmeDirectory {
  readonly url: string;
  /** Whether a setting says by which address clients reach it; else the URL is that of the listener. */
  readonly isStated: boolean;
}

/** Setting that keeps clients from working, or will. */
export interface ClientWarning {
  readonly code: string;
  readonly message: string;
}

/** The directory at the stated base of its links, else at the address of the listener. */
export function acmeDirectory(stated: string | undefined, listener: string): AcmeDirectory {
  return { url: `${stated ?? listener}/acme/directory`, isStated: stated !== undefined };
}

/** Warns if the address of the directory is only that on which the service listens. */
export function addressWarnings({ url, isStated }: AcmeDirectory): ClientWarning[] {
  if (isStated) return [];
  const message = `neither CERT_MANAGER_ACME_URL nor CERT_MANAGER_PUBLIC_URL is set, so ${url} is only where the service listens: set one to the address at which clients reach it, as their accounts and orders are bound to it`;
  return [{ code: 'public_url_missing', message }];
}
