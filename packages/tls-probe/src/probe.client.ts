import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import { describePublicKey } from '@certloop/crypto';
import { openConnection, ProbeEnded, type ProbeLimits, speakPreamble } from './connection.client.js';
import type { Guard } from './guard.js';
import { readHandshake, signatureAlgorithmsOfKeys } from './handshake.client.js';
import type { AddressObservation, Observation, ServedCertificate } from './observation.js';
import type { Protocol } from './protocols.js';
import type { Place } from './target.js';

/** Runs what connects to an address when it is its turn, so that a caller can bound how many run at once. */
export type ProbeTurn = <T>(address: string, work: () => Promise<T>) => Promise<T>;

/** Target to probe. */
export interface ProbeTarget extends Place {
  readonly protocol: Protocol;
  /** Addresses to connect to instead of those of the host. */
  readonly addresses?: readonly string[] | undefined;
  /** Name to ask for; the host when absent. An IP address is not sent. */
  readonly sni?: string | undefined;
  /** Kind of the key that should be served, such as `RSA`: a server that serves another is asked for this one too. */
  readonly keyAlgorithm?: string | undefined;
}

export interface ProbeOptions {
  /** Judge of each address, at each probe. */
  readonly guard: Guard;
  readonly limits?: Partial<ProbeLimits>;
  /** Gives each address its turn; all run at once, two of a target, when absent. */
  readonly turn?: ProbeTurn;
  /** Ends the probe: addresses that were not observed by then are omitted. */
  readonly signal?: AbortSignal;
  /** Look-up of all addresses of a name; that of the system when absent. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const usualLimits: ProbeLimits = { lookUpMs: 5000, connectMs: 5000, preambleMs: 5000, handshakeMs: 5000 };

const maxAddresses = 64;
const maxAtOnce = 2;

/**
 * Returns what each address of the target serves at this moment, in the order of the look-up. The name is looked up
 * once, each address is judged, and the connection goes to the address that was judged. Never rejects for what the
 * other side does.
 */
export async function probe(target: ProbeTarget, options: ProbeOptions): Promise<AddressObservation[]> {
  const limits = { ...usualLimits, ...options.limits };
  let addresses: readonly string[];
  try {
    addresses =
      target.addresses ??
      (await addressesOf(target.host, limits.lookUpMs, options.resolve ?? resolveBySystem));
  } catch (error) {
    return [{ address: undefined, observation: unreachable(error) }];
  }
  const { guard, turn = (_address, work) => work(), signal } = options;
  const found: (AddressObservation | undefined)[] = [];
  const queue = addresses.slice(0, maxAddresses).entries();
  const worker = async () => {
    for (const [place, address] of queue) {
      if (signal?.aborted === true) return;
      const refusal = guard(address, target.port);
      const observation: Observation | undefined =
        refusal === undefined
          ? await turn(address, () => observe(target, address, limits, signal))
          : { stage: 'not_allowed', fault: refusal };
      found[place] = observation && { address, observation };
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, worker));
  return found.filter((one) => one !== undefined);
}

/** Returns what the address serves; undefined when the probe was ended in the meantime. */
async function observe(
  target: ProbeTarget,
  address: string,
  limits: ProbeLimits,
  signal: AbortSignal | undefined,
): Promise<Observation | undefined> {
  const isOver = () => signal?.aborted === true;
  if (isOver()) return undefined;
  try {
    const first = await handshake(target, address, { ...limits, signal });
    const wanted = target.keyAlgorithm;
    const signatureAlgorithms = signatureAlgorithmsOfKeys.get(wanted ?? '');
    if (signatureAlgorithms === undefined || describePublicKey(first.leaf.spkiDer).algorithm === wanted)
      return { served: [first] };
    const more = { ...limits, signal, signatureAlgorithms };
    const second = await handshake(target, address, more).catch(unreachable);
    return { served: 'leaf' in second ? [first, second] : [first] };
  } catch (error) {
    const ended = unreachable(error);
    return isOver() ? undefined : ended;
  }
}

interface HandshakeOptions extends ProbeLimits {
  readonly signal: AbortSignal | undefined;
  readonly signatureAlgorithms?: string;
}

async function handshake(
  { host, port, protocol, sni = host }: ProbeTarget,
  address: string,
  { connectMs, preambleMs, handshakeMs, signal, signatureAlgorithms }: HandshakeOptions,
): Promise<ServedCertificate> {
  const socket = await openConnection(address, port, connectMs, signal);
  const end = () => socket.destroy();
  signal?.addEventListener('abort', end, { once: true });
  try {
    await speakPreamble(socket, protocol, sni, preambleMs);
    const servername = isIP(sni) === 0 ? sni : undefined;
    return await readHandshake(socket, { servername, handshakeMs, signatureAlgorithms });
  } finally {
    signal?.removeEventListener('abort', end);
  }
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
