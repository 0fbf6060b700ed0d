import type { AcmeIdentifier, ChallengeSetup } from '@certloop/contracts';
import { challengeName } from '../../acme/dns/dns-proof.js';
import { proofObstacle } from '../../acme/orders/order-plan.js';
import { type ChallengeTerms, type DnsTerms, provingTypes } from '../../providers/acme/challenge-terms.js';
import { challengeLines, challengePath, type OwnAddress } from './web-server-lines.js';

/** Work to set up challenges, by the way in which names are proven. */
export type SetupWork = Pick<ChallengeSetup, 'message' | 'type' | 'obstacle' | 'http01' | 'dns01'>;

export interface SetupSituation {
  readonly terms: ChallengeTerms;
  readonly providerName: string;
  readonly identifiers: readonly AcmeIdentifier[];
  readonly own: OwnAddress;
  /** Further port that answers challenges and nothing else. */
  readonly challengePort: number | undefined;
}

/** Returns what must be set up before a CA can see that the names are under control. */
export function setupWork(situation: SetupSituation): SetupWork {
  const { terms, providerName } = situation;
  switch (terms.kind) {
    case 'none':
      return { message: `nothing to set up: the provider ${providerName} signs without proof of control` };
    case 'incomplete':
      return {
        message: `nothing to set up yet: the provider ${providerName} is not configured, ${terms.missing} is missing or wrong`,
      };
    case 'http-01':
      return { type: terms.kind, ...obstacleOf(situation, terms.kind), ...http01(situation) };
    case 'dns-01':
      return { type: terms.kind, ...obstacleOf(situation, terms.kind), ...dns01(situation, terms.dns) };
    case 'manual':
      return { type: terms.kind, ...obstacleOf(situation, terms.kind), message: manualMessage };
  }
}

const manualMessage =
  'nothing to set up before the request: the request waits and shows what to publish; after that, POST /issuance-jobs/{id}/continue continues it';

function obstacleOf(
  { identifiers }: SetupSituation,
  type: keyof typeof provingTypes,
): Pick<SetupWork, 'obstacle'> {
  const obstacle = proofObstacle(identifiers, provingTypes[type]);
  return obstacle === undefined ? {} : { obstacle };
}

function http01({ identifiers, own, challengePort }: SetupSituation): Pick<SetupWork, 'message' | 'http01'> {
  const hosts = identifiers.map(({ value }) => (value.includes(':') ? `[${value}]` : value));
  const origin = own.isStated
    ? own.origin
    : `${own.origin} (where it listens; set CERT_MANAGER_PUBLIC_URL to the address at which others reach it)`;
  const port = challengePort === undefined ? '' : `, or port 80 to its port ${challengePort}`;
  const message = `on port 80 of each name, forward ${challengePath} to this service at ${origin}${port}`;
  return { message, http01: challengeLines(hosts, own) };
}

function dns01(
  { identifiers }: SetupSituation,
  { backend, target }: DnsTerms,
): Pick<SetupWork, 'message' | 'dns01'> {
  const names = [...new Set(identifiers.map(({ value }) => challengeName(value)))];
  const isDelegated = target !== undefined || backend === 'acme-dns';
  const records = names.map((name) =>
    isDelegated
      ? {
          name,
          type: 'CNAME' as const,
          ...(target !== undefined && { value: target }),
          setBy: 'you' as const,
        }
      : { name, type: 'TXT' as const, setBy: 'service' as const },
  );
  return { message: dnsMessage(backend, target), dns01: { backend, records } };
}

function dnsMessage(backend: DnsTerms['backend'], target: string | undefined): string {
  if (target !== undefined) return 'set the CNAME records once; later orders need no further changes';
  if (backend === 'acme-dns') {
    return 'set the CNAME records once, to the fulldomain of the account at the acme-dns server';
  }
  return 'nothing to set up: each order publishes its TXT records; if these names have CNAME records, it publishes at their targets';
}
