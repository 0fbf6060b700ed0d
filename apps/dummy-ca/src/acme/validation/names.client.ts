import { promises as systemDns } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { AcmeProblem } from '@certloop/contracts';
import { parseIpAddress } from '@certloop/crypto';
import { refusalOfAddress } from '@certloop/server';
import type { ValidationSettings } from './validation-settings.js';

/** Names as validation sees them; a lookup that is not over when its signal aborts has failed. */
export interface Names {
  /**
   * Addresses to connect to for a host name or an address in text, one at least, in the order to try them. Throws
   * `dns` if there is none, or none that validation may reach.
   */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** TXT records of a name, the parts of each joined. Throws `dns` when the resolver fails; none is not a failure. */
  textsOf(name: string, signal: AbortSignal): Promise<string[]>;
}

const dnsTimeoutMs = 2_000;
const maxAddresses = 4;

export function createNames(settings: ValidationSettings): Names {
  const { dnsServer, resolveTo } = settings;
  const ask = async <T>(signal: AbortSignal, question: (resolver: Resolver) => Promise<T>): Promise<T> => {
    const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
    if (dnsServer !== undefined) resolver.setServers([dnsServer]);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    // each redirect asks again with the same signal
    return question(resolver).finally(() => signal.removeEventListener('abort', cancel));
  };
  return {
    addressesOf: async (host, signal) => {
      if (resolveTo !== undefined) return [resolveTo];
      if (parseIpAddress(host) !== undefined) return judged(host, [host], settings);
      const addresses = await (dnsServer === undefined
        ? lookUp(host, signal)
        : ask(signal, (resolver) => resolve(resolver, host, signal)));
      return judged(host, addresses, settings);
    },
    textsOf: async (name, signal) => {
      try {
        const records = await ask(signal, (resolver) => resolver.resolveTxt(name));
        return records.map((parts) => parts.join(''));
      } catch (error) {
        if (isAbsence(error)) return [];
        throw dnsProblem(name, error, signal);
      }
    },
  };
}

async function lookUp(host: string, signal: AbortSignal): Promise<string[]> {
  try {
    const found = await untilAborted(systemDns.lookup(host, { all: true }), signal);
    return found.map(({ address }) => address);
  } catch (error) {
    throw dnsProblem(host, error, signal);
  }
}

async function resolve(resolver: Resolver, host: string, signal: AbortSignal): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  // One of them may have been answered in time.
  if (signal.aborted) throw dnsProblem(host, signal.reason, signal);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find((answer) => answer.status === 'rejected' && !isAbsence(answer.reason));
  if (addresses.length === 0 && failure?.status === 'rejected')
    throw dnsProblem(host, failure.reason, signal);
  return addresses;
}

/** The result of a lookup; rejects once the signal aborts, since the system's resolver cannot be stopped. */
function untilAborted<T>(lookup: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    lookup.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Returns the addresses that may be reached. */
function judged(host: string, addresses: readonly string[], settings: ValidationSettings): string[] {
  const [first] = addresses;
  if (first === undefined) throw new AcmeProblem('dns', `${host} has no address`);
  const allowed = addresses.filter((address) => refusalOfAddress(address, settings) === undefined);
  if (allowed.length > 0) return allowed.slice(0, maxAddresses);
  const reason = refusalOfAddress(first, settings);
  throw new AcmeProblem('dns', `${host} is not connected to: ${first} ${reason}`);
}

function isAbsence(error: unknown): boolean {
  return ['ENODATA', 'ENOTFOUND'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function dnsProblem(name: string, cause: unknown, { aborted }: AbortSignal): AcmeProblem {
  const { code = 'no answer' } = cause as NodeJS.ErrnoException;
  return new AcmeProblem('dns', `looking up ${name} failed: ${aborted ? 'timed out' : code}`, { cause });
}
