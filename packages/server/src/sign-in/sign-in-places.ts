import { networkOf } from './client-network.js';
import type { FetchMetadata } from './same-origin.js';
import { newSecret, secretHash } from './secrets.js';

/** A sign-in from a place is remembered for this long, and so is the cookie of its device. */
export const placeLifeMs = 30 * 86_400_000;
/** Networks, and devices, that an account has at most: the latest ones. */
export const maxPlacesOfKind = 20;

/** Where a sign-in of an account comes from: a browser, or a network. */
export interface SignInPlace {
  readonly kind: 'device' | 'network';
  /** At most 71 characters; the secret of a device is not in it. */
  readonly key: string;
}

/** Places of a request, the most particular first. An unknown address is no place, since all unknown ones share it. */
export function signInPlaces(address: string, deviceSecret: string | undefined): SignInPlace[] {
  const network = networkOf(address);
  const device = deviceSecret === undefined ? '' : secretHash(deviceSecret);
  return [
    ...(device === '' ? [] : [{ kind: 'device', key: `device:${device}` } as const]),
    ...(network === '' ? [] : [{ kind: 'network', key: `network:${network}` } as const]),
  ];
}

/**
 * Secret of the device of a request: that of its cookie, or a new one for a browser without it. Undefined for a
 * program, which would only displace the browsers of its account.
 */
export function deviceSecretOf(
  cookie: string | undefined,
  { fetchSite }: Pick<FetchMetadata, 'fetchSite'>,
): string | undefined {
  if (cookie !== undefined && /^[\w-]{43}$/.test(cookie)) return cookie;
  return fetchSite === undefined ? undefined : newSecret();
}
