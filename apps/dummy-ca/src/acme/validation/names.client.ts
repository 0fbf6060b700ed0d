import { promises as systemDns } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { AcmeProblem } from '@certloop/contracts';
import { parseIpAddress } from '@certloop/crypto';
import { refusalOfAddress } from '@certloop/server';
import type { ValidationSettings } from './validation-settings.js';

/** Names as validation sees them. */
export interface Names {
  /**
   * Address to connect to for a host name or an address in text. Throws `dns` when there is none, or one that
   * validation may not reach.
   */
  addressOf(host: string): Promise<string>;
  /** TXT records of a name, the parts of each joined. Throws `dns` when the resolver fails; none is no failure. */
  textsOf(name: string): Promise<string[]>;
}

const dnsTimeoutMs = 2_000;

export function createNames(settings: ValidationSettings): Names {
  const { dnsServer, resolveTo } = settings;
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
  if (dnsServer !== undefined) resolver.setServers([dnsServer]);
  return {
    addressOf: async (host) => {
      if (resolveTo !== undefined) return resolveTo;
      if (parseIpAddress(host) !== undefined) return judged(host, host, settings);
      const addresses = await (dnsServer === undefined ? lookUp(host) : resolve(resolver, host));
      const [first] = addresses;
      if (first === undefined) throw new AcmeProblem('dns', `${host} has no address`);
      return judged(host, first, settings);
    },
    textsOf: async (name) => {
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
      } catch (error) {
        if (isAbsence(error)) return [];
        throw dnsProblem(name, error);
      }
    },
  };
}

async function lookUp(host: string): Promise<string[]> {
  try {
    return (await systemDns.lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw dnsProblem(host, error);
  }
}

async function resolve(resolver: Resolver, host: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find((answer) => answer.status === 'rejected' && !isAbsence(answer.reason));
  if (addresses.length === 0 && failure?.status === 'rejected') throw dnsProblem(host, failure.reason);
  return addresses;
}

function judged(host: string, address: string, settings: ValidationSettings): string {
  const reason = refusalOfAddress(address, settings);
  if (reason === undefined) return address;
  throw new AcmeProblem('dns', `${host} is not connected to: ${address} ${reason}`);
}

function isAbsence(error: unknown): boolean {
  return ['ENODATA', 'ENOTFOUND'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function dnsProblem(name: string, cause: unknown): AcmeProblem {
  const { code = 'no answer' } = cause as NodeJS.ErrnoException;
  return new AcmeProblem('dns', `looking up ${name} failed: ${code}`, { cause });
}
