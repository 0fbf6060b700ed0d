import { type Certificate, fingerprint } from '@certloop/crypto';
import {
  type AddressObservation,
  createGuard,
  keyAlgorithmOf,
  type Place,
  type Protocol,
  parsePlace,
  probe,
  protocols,
  usualPorts,
} from '@certloop/tls-probe';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Io } from '../io.js';

/** Server that must serve a certificate. */
export interface VerifyPlace extends Place {
  readonly protocol: Protocol;
}

/** Reader of `HOST:PORT`, with `/PROTOCOL` for STARTTLS, for an option; throws commander's own error. */
export function parseVerify(text: string): VerifyPlace {
  const [place = '', named = 'tls'] = text.split('/', 2);
  const protocol = protocols.find((one) => one === named);
  if (protocol === undefined)
    throw new InvalidArgumentError(`${named} is not a protocol; it is one of ${protocols.join(', ')}.`);
  try {
    return { ...parsePlace(place, usualPorts[protocol]), protocol };
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}

// this machine may reach its own server anywhere; metadata and link-local addresses stay refused
const guard = createGuard({ allowCidrs: ['0.0.0.0/0', '::/0'] });
const limitMs = 30_000;
const everyMs = 2_000;

/** Returns what is served instead of the certificate, as a sentence; undefined as soon as all addresses serve it. */
export async function findNotServed(
  { pause, deadline }: Pick<Io, 'pause' | 'deadline'>,
  place: VerifyPlace,
  leaf: Certificate,
): Promise<string | undefined> {
  const signal = deadline(limitMs);
  const target = { ...place, sni: nameOf(leaf, place.host), keyAlgorithm: keyAlgorithmOf(leaf) };
  let found: readonly AddressObservation[] = [];
  for (let waitedMs = 0; waitedMs <= limitMs && !signal.aborted; waitedMs += everyMs) {
    if (waitedMs > 0) await pause(everyMs, signal);
    const observed = await probe(target, { guard, signal });
    if (observed.length > 0) found = observed;
    if (observed.length > 0 && observed.every((one) => serves(one, leaf))) return undefined;
  }
  const others = found.filter((one) => !serves(one, leaf)).map(describeObservation);
  return others.length === 0 ? `${place.host}:${place.port} did not answer` : others.join('; ');
}

/** Name to ask for: one that the certificate covers. */
function nameOf(leaf: Certificate, host: string): string {
  const { dnsNames } = leaf.subjectAltNames;
  return dnsNames.find((name) => !name.startsWith('*.')) ?? dnsNames[0]?.replace('*', 'certloop') ?? host;
}

function serves({ observation }: AddressObservation, leaf: Certificate): boolean {
  if (!('served' in observation)) return false;
  return observation.served.some((one) => fingerprint(one.leaf.der) === fingerprint(leaf.der));
}

function describeObservation({ address, observation }: AddressObservation): string {
  const place = address ?? 'the host';
  if (!('served' in observation)) return `${place}: ${observation.fault.replaceAll('_', ' ')}`;
  const [{ leaf }] = observation.served;
  return `${place} serves serial ${leaf.serialNumber}, which ends ${leaf.notAfter.toISOString()}`;
}
