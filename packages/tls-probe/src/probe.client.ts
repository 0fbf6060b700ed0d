import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import { describePublicKey } from '@certloop/crypto';
import { openConnection, ProbeEnded, type ProbeLimits, speakPreamble } from './connection.client.js';
import type { Guard } from './guard.js';
import { readHandshake, signatureAlgorithmsOfKeys } from './handshake.client.js';
import type { AddressObservation, Observation, ServedCertificate } from './observation.js';
import type { Protocol } from './protocols.js';
import type { Place } from './target.js';

/** What to look at. */
export interface ProbeTarget extends Place {
  readonly protocol: Protocol;
  /** Name to ask for; the host when absent. An IP address is not sent. */
  readonly sni?: string | undefined;
  /** Kind of the key that should be served, such as `RSA`: a server that serves another is asked for this one too. */
  readonly keyAlgorithm?: string | undefined;
}

export interface ProbeOptions {
  /** Judge of each address, at each probe. */
  readonly guard: Guard;
  readonly limits?: Partial<ProbeLimits>;
  /** Look-up of all addresses of a name; that of the system when absent. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const usualLimits: ProbeLimits = { lookUpMs: 5000, connectMs: 5000, preambleMs: 5000, handshakeMs: 5000 };

const maxAddresses = 64;
const maxAtOnce = 2;

/**
 * What each address of the target serves at this moment, in the order of the look-up. The name is looked up once, each
 * address is judged, and the connection goes to the address that was judged. Never rejects for what the other side does.
 */
export async function probe(target: ProbeTarget, options: ProbeOptions): Promise<AddressObservation[]> {
  const limits = { ...usualLimits, ...options.limits };
  let addresses: readonly string[];
  try {
    addresses = await addressesOf(target.host, limits.lookUpMs, options.resolve ?? resolveBySystem);
  } catch (error) {
    return [{ address: undefined, observation: unreachable(error) }];
  }
  const found: AddressObservation[] = [];
  const queue = addresses.slice(0, maxAddresses).entries();
  const worker = async () => {
    for (const [place, address] of queue) {
      found[place] = { address, observation: await observe(target, address, options.guard, limits) };
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, worker));
  return found;
}

async function observe(
  target: ProbeTarget,
  address: string,
  guard: Guard,
  limits: ProbeLimits,
): Promise<Observation> {
  const refusal = guard(address, target.port);
  if (refusal !== undefined) return { stage: 'not_allowed', fault: refusal };
  try {
    const first = await handshake(target, address, limits);
    const wanted = target.keyAlgorithm;
    const signatureAlgorithms = signatureAlgorithmsOfKeys.get(wanted ?? '');
    if (signatureAlgorithms === undefined || describePublicKey(first.leaf.spkiDer).algorithm === wanted)
      return { served: [first] };
    const second = await handshake(target, address, limits, signatureAlgorithms).catch(unreachable);
    return { served: 'leaf' in second ? [first, second] : [first] };
  } catch (error) {
    return unreachable(error);
  }
}

async function handshake(
  { host, port, protocol, sni = host }: ProbeTarget,
  address: string,
  { connectMs, preambleMs, handshakeMs }: ProbeLimits,
  signatureAlgorithms?: string,
): Promise<ServedCertificate> {
  const socket = await openConnection(address, port, connectMs);
  await speakPreamble(socket, protocol, sni, preambleMs);
  const servername = isIP(sni) === 0 ? sni : undefined;
  return readHandshake(socket, { servername, handshakeMs, signatureAlgorithms });
}

function unreachable(error: unknown) {
  if (!(error instanceof ProbeEnded)) throw error;
  return { stage: error.stage, fault: error.fault };
}

/** Addresses of a host, each once. Rejects with ProbeEnded. */
async function addressesOf(
  host: string,
  lookUpMs: number,
  resolve: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ProbeEnded('timeout', 'timed_out')), lookUpMs);
  });
  try {
    const addresses = await Promise.race([resolve(host), late]);
    if (addresses.length === 0) throw new ProbeEnded('dns', 'name_not_found');
    return [...new Set(addresses)];
  } catch (error) {
    if (error instanceof ProbeEnded) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA';
    throw new ProbeEnded('dns', isUnknown ? 'name_not_found' : 'look_up_failed');
  } finally {
    clearTimeout(timer);
  }
}

function resolveBySystem(host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error: NodeJS.ErrnoException | null, found: LookupAddress[]) =>
      error === null ? resolve(found.map(({ address }) => address)) : reject(error),
    );
  });
}
