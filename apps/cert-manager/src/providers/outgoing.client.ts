import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import {
  type AddressFetch,
  createOutgoingFetch,
  createPlainFetch,
  followingFetch,
  type OutgoingFetch,
  type Resolve,
  refusalOfAddress,
  tracedFetch,
} from '@certloop/server';

/** An address to be called, and whether it may lead to private and loopback addresses. */
interface Target {
  readonly address: string;
  readonly allowPrivate: boolean;
  /** PEM of roots that its TLS certificate may chain to, in addition to the usual ones. */
  readonly ca?: string | undefined;
}

/** Ways out to the addresses of providers. */
export interface Outgoing {
  /** Fetch for a target; never follows a redirect, and rejects an answer of more than 1 MiB. */
  fetchFor(target: Target): typeof fetch;
  /**
   * As `fetchFor`, for calls whose status says all: follows redirects within the target's origin, or to https of its
   * host, and rejects others in a sentence that begins with `subject`.
   */
  sendTo(target: Target, subject: string): AddressFetch;
  /** As `fetchFor`, guarded even for an address of the environment. */
  fetchGuarded(rules: { readonly allowPrivate: boolean }): typeof fetch;
  /** As `fetchFor`, guarded, for one request or a few: connections go to this address, whatever the name. */
  fetchAt(address: string, rules: { readonly allowPrivate: boolean }): OutgoingFetch;
  /** Every address of a host name, of both families; none when it does not resolve. */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Why a target would be refused right now, or undefined; a name that does not resolve is no reason yet. */
  refusalOf(target: Target): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface OutgoingSettings {
  /** Addresses that the operator set in the environment; they are called wherever they lead. */
  readonly trusted: readonly string[];
  readonly resolve?: Resolve;
  /** Called for every call that is refused for its target. */
  readonly onRefused?: () => void;
}

/** Ways out: guarded for addresses that came in through the API, free for those of the environment. */
export function createOutgoing({
  trusted,
  resolve = lookupAll,
  onRefused = () => undefined,
}: OutgoingSettings): Outgoing {
  const free = new Set(trusted.map(comparable));
  const ways = new Map<string, OutgoingFetch>();
  const plain = createPlainFetch({ answerBytes });
  const plainSend = createPlainFetch({ answerBytes, isBodyNeeded: false });
  const wayFor = (rules: Way): OutgoingFetch => {
    const { allowPrivate, isTrusted, ca, isBodyNeeded = true } = rules;
    const own = { allowPrivate, isTrusted, ca, isBodyNeeded };
    const key = JSON.stringify(own);
    const known =
      ways.get(key) ?? createOutgoingFetch({ ...own, answerBytes, resolve, onRefused, privateHint });
    ways.set(key, known);
    return known;
  };
  return {
    fetchFor: (target) => {
      const isTrusted = free.has(comparable(target.address));
      const isPlain = isTrusted && target.ca === undefined;
      return tracedFetch(isPlain ? plain.fetch : wayFor({ ...target, isTrusted }).fetch, { isTrusted });
    },
    sendTo: (target, subject) => {
      const isTrusted = free.has(comparable(target.address));
      const way = isTrusted ? plainSend : wayFor({ ...target, isTrusted, isBodyNeeded: false });
      return followingFetch(tracedFetch(way.fetch, { isTrusted }), { subject, mayLeaveOrigin: false });
    },
    fetchGuarded: ({ allowPrivate }) => wayFor({ allowPrivate, isTrusted: false }).fetch,
    fetchAt: (address, { allowPrivate }) =>
      createOutgoingFetch({
        allowPrivate,
        answerBytes,
        resolve: (_host, _options, done) => done(null, [{ address, family: isIP(address) }]),
      }),
    addressesOf: (host) => addressesOf(host, resolve),
    refusalOf: async (target) => {
      if (free.has(comparable(target.address))) return undefined;
      const addresses = await addressesOf(hostOf(target.address), resolve);
      return addresses.map((address) => refusalOfAddress(address, target)).find(Boolean);
    },
    close: async () => {
      for (const { close } of [plain, plainSend, ...ways.values()]) await close();
    },
  };
}

interface Way extends Omit<Target, 'address'> {
  readonly isTrusted: boolean;
  readonly isBodyNeeded?: boolean;
}

const answerBytes = 1_048_576;
const privateHint = 'allowPrivateNetwork: true in the configuration of the provider allows it';
const resolveMs = 5000;

const lookupAll: Resolve = (host, options, done) => lookup(host, { ...options, all: true }, done);

function comparable(address: string): string {
  return address.replace(/\/+$/, '');
}

function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, '');
}

function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  return new Promise((settle) => {
    const late = setTimeout(() => settle([]), resolveMs);
    resolve(host, {}, (error, addresses) => {
      clearTimeout(late);
      settle(error === null ? addresses.map(({ address }) => address) : []);
    });
  });
}
