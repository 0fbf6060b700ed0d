import { accountBasePath, accountContract, type Client, createClient } from '@certloop/contracts';
import { UsageError } from '../faults/command-errors.js';
import { addressForm, isAddress } from './connection-values.js';
import { type Fetch, fetchFrom, timeoutMs } from './fetch.js';
import { managerAt } from './session.js';

export type SignedIn = Awaited<ReturnType<typeof signIn>>;

/** A session of cert-manager, for the few calls that need one. */
export async function signIn(url: string, username: string, password: string, fetchOf?: Fetch) {
  requireAddress(url);
  const manager = managerAt(url, undefined, fetchOf);
  const { body, headers } = await manager.login({ body: { username, password } });
  return { manager, headers: headersOf(url, headers, body.csrfToken) };
}

export type AccountClient = Client<typeof accountContract>;

/** A client in a session of an account at check-monitor. */
export async function signInToMonitor(
  url: string,
  email: string,
  password: string,
  fetchOf: Fetch = fetchFrom('check-monitor'),
): Promise<AccountClient> {
  requireAddress(url);
  const baseUrl = `${url.replace(/\/+$/, '')}${accountBasePath}`;
  const clientWith = (headers: Readonly<Record<string, string>>) =>
    createClient(accountContract, { baseUrl, headers, timeoutMs, fetch: fetchOf });
  const { origin } = new URL(url);
  const { body, headers } = await clientWith({ origin }).login({ body: { email, password } });
  return clientWith(headersOf(url, headers, body.csrfToken));
}

export function requireAddress(url: string): void {
  if (!isAddress(url)) throw new UsageError(`${url} is not an address; ${addressForm}`);
}

function headersOf(url: string, headers: Readonly<Record<string, string>> | undefined, csrfToken: string) {
  const cookie = String(headers?.['set-cookie'] ?? '').split(';', 1)[0] ?? '';
  return { cookie, origin: new URL(url).origin, 'x-csrf-token': csrfToken };
}
