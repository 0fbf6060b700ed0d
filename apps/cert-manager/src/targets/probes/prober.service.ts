import { lookup } from 'node:dns/promises';
import { createKeyedLimiter, createLimiter } from '@certloop/server';
import { type AddressObservation, createGuard, probe } from '@certloop/tls-probe';
import type { TargetSettings } from '../target.js';

/** Where probes may connect to. */
export interface ProbeRules {
  readonly allowCidrs: readonly string[];
  readonly ports: readonly number[];
}

/**
 * Probes addresses, if they may be probed; of all that this process probes, 32 connections at once, two to one host.
 */
export interface Prober {
  /** Why a connection may not be made; undefined where it may. */
  readonly refusal: (address: string, port: number) => string | undefined;
  readonly portRefusal: (port: number) => string | undefined;
  /**
   * Returns what each address serves; those that were not observed when the signal came are omitted. Never rejects for
   * what the other side does.
   */
  readonly look: (
    target: TargetSettings,
    options: { readonly keyAlgorithm: string | undefined; readonly signal: AbortSignal },
  ) => Promise<AddressObservation[]>;
}

const maxAtOnce = 32;
const maxToOneHost = 2;
// a lookup occupies a thread of the process, and other work needs threads too
const maxLookUps = 2;

export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export function createProber(rules: ProbeRules, resolve: Resolve = resolveBySystem): Prober {
  const guard = createGuard(rules);
  const limitAll = createLimiter({ atOnce: maxAtOnce });
  const limitByHost = createKeyedLimiter(maxToOneHost);
  const limitByAddress = createKeyedLimiter(maxToOneHost);
  const limitLookUps = createLimiter({ atOnce: maxLookUps });
  return {
    refusal: guard,
    portRefusal: (port) => (rules.ports.includes(port) ? undefined : 'port_not_allowed'),
    look: ({ host, port, protocol, sni, addresses }, { keyAlgorithm, signal }) =>
      probe(
        { host, port, protocol, sni, keyAlgorithm, ...(addresses !== null && { addresses }) },
        {
          guard,
          signal,
          resolve: (name) => limitLookUps(() => resolve(name)),
          turn: (address, work) => limitByHost(host, () => limitByAddress(address, () => limitAll(work))),
        },
      ),
  };
}
