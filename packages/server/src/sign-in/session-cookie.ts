import { placeLifeMs } from './sign-in-places.js';

/** Writes and reads the cookie of a session. */
export interface SessionCookie {
  readonly name: string;
  /** Set-Cookie that gives the secret to a browser (RFC 6265 §4.1). */
  give(secret: string): string;
  /** Set-Cookie that takes it back. */
  take(): string;
  /** Secret in a Cookie header; undefined if there is none. */
  read(header: string | undefined): string | undefined;
}

export interface SessionCookieOptions {
  /** Name without a prefix. */
  readonly plainName: string;
  /** Whether browsers come over TLS. */
  readonly isSecure: boolean;
  /** How long a browser stores it; until it is closed when absent. */
  readonly maxAgeSeconds?: number;
}

/**
 * The cookie `__Host-<plainName>`, which a browser takes over TLS only and never for a parent domain
 * (RFC 6265bis §4.1.3.2); without TLS the plain name.
 */
export function createSessionCookie({
  plainName,
  isSecure,
  maxAgeSeconds,
}: SessionCookieOptions): SessionCookie {
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const traits = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const life = maxAgeSeconds === undefined ? '' : `Max-Age=${maxAgeSeconds}; `;
  return {
    name,
    give: (secret) => `${name}=${secret}; ${life}${traits}`,
    take: () => `${name}=; Max-Age=0; ${traits}`,
    read: (header) => (header === undefined ? undefined : cookieValue(header, name)),
  };
}

/** Cookie that remembers a device for as long as its sign-in counts. */
export function createDeviceCookie(options: SessionCookieOptions): SessionCookie {
  return createSessionCookie({ ...options, maxAgeSeconds: placeLifeMs / 1000 });
}

function cookieValue(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
