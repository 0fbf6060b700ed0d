import { lookup as resolveName } from 'node:dns';
import { isIP } from 'node:net';
import { AppError, UpstreamFailed } from '@certloop/contracts';
import { refusalOfAddress } from './address-rules.js';
import { isBannedPort } from './banned-ports.js';

/** Name resolution in the form of `dns.lookup` with `all`. */
export type Resolve = (
  hostname: string,
  options: object,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly ResolvedAddress[]) => void,
) => void;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Which targets may be called. */
export interface TargetRules {
  /** Whether private, unique-local and loopback targets may be reached. */
  readonly allowPrivate: boolean;
  /** Set for addresses that the operator chose: they are called wherever they lead. */
  readonly isTrusted?: boolean;
  readonly resolve?: Resolve;
  /** End of the refusal of a private target: the setting that allows it. */
  readonly privateHint?: string;
}

/** Addresses of a name, each one judged. Rejects with UpstreamFailed for one that may not be called. */
export function resolveTarget(hostname: string, rules: TargetRules): Promise<readonly ResolvedAddress[]> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, addresses: readonly ResolvedAddress[]): void =>
      error === null ? resolve(addresses) : reject(error);
    lookUp(hostname, {}, rules, done);
  });
}

/** Lookup for connections, which go to an address that was judged. */
export function guardedLookup(rules: TargetRules) {
  return (
    hostname: string,
    lookupOptions: { readonly all?: boolean | undefined },
    callback: (error: Error | null, address: string | ResolvedAddress[], family?: number) => void,
  ): void => {
    lookUp(hostname, lookupOptions, rules, (error, addresses) => {
      const [first] = addresses;
      if (error !== null || first === undefined) return callback(error, []);
      return lookupOptions.all === true
        ? callback(null, [...addresses])
        : callback(null, first.address, first.family);
    });
  };
}

function lookUp(
  hostname: string,
  lookupOptions: object,
  rules: TargetRules,
  done: (error: Error | null, addresses: readonly ResolvedAddress[]) => void,
): void {
  const resolve: Resolve =
    rules.resolve ?? ((host, opts, found) => resolveName(host, { ...opts, all: true }, found));
  resolve(hostname, lookupOptions, (error, addresses) => {
    if (error !== null) return done(error, []);
    const judged = rules.isTrusted === true ? [] : addresses;
    const refused = judged
      .map(({ address }) => refusalOfAddress(address, rules))
      .find((reason) => reason !== undefined);
    if (refused !== undefined) return done(targetRefused(hostname, refused, rules), []);
    if (addresses.length === 0) return done(targetRefused(hostname, 'has no address', rules), []);
    return done(null, addresses);
  });
}

/** Validates what is never looked up: the protocol, the port and a literal address. Throws UpstreamFailed. */
export function validateLiteral(url: URL, rules: TargetRules): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw targetRefused(url.protocol, 'is no protocol that is called', rules);
  }
  validatePort(url);
  const host = hostOf(url);
  if (isIP(host) === 0 || rules.isTrusted === true) return;
  const reason = refusalOfAddress(host, rules);
  if (reason !== undefined) throw targetRefused(host, reason, rules);
}

/** Validates the port, for addresses of the operator too: what answers there may name others. Throws UpstreamFailed. */
export function validatePort({ host, port }: URL): void {
  if (isBannedPort(port)) throw targetRefused(host, `has port ${port}, which HTTP clients refuse to call`);
}

/**
 * Why a target may not be called, in the words of a call that is refused; undefined when it may be. A name that cannot be
 * resolved within `timeoutMs` is no reason: it is judged at each call.
 */
export async function refusalOfTarget(
  url: URL,
  rules: TargetRules,
  timeoutMs: number,
): Promise<string | undefined> {
  try {
    validateLiteral(url, rules);
    // what may be private is judged at the call alone
    if (isIP(hostOf(url)) !== 0 || rules.allowPrivate) return undefined;
    const signal = AbortSignal.timeout(timeoutMs);
    await Promise.race([resolveTarget(hostOf(url), rules), rejectOnAbort(signal)]);
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.message : undefined;
  }
}

/** Rejects when the signal aborts. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Host of an address, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

const privateReason = 'is a private or loopback address';

function targetRefused(
  host: string,
  reason: string,
  { privateHint }: Partial<TargetRules> = {},
): UpstreamFailed {
  const hint = reason === privateReason && privateHint !== undefined ? `; ${privateHint}` : '';
  return new UpstreamFailed(`${host} is not called: it ${reason}${hint}`, { code: 'target_refused' });
}
