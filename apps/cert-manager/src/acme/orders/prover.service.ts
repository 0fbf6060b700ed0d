import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import { deleteChallengeToken, putChallengeToken } from '../acme-accounts.repository.js';
import type { DnsBackend } from '../dns/dns-backend.js';
import { challengeName, dnsProof } from '../dns/dns-proof.js';
import type { ProofType } from './order-plan.js';
import type { ProofRecord } from './order-record.js';

/** Publishes the proof that a CA checks; `answer` is the key authorization (RFC 8555 §8.1). */
export interface Prover {
  /** Kinds of challenge, the preferred one first. */
  readonly wanted: readonly ProofType[];
  /** Whether people publish the proof. */
  readonly isManual: boolean;
  /** Returns the proof with the place where `present` will publish it. Throws UpstreamFailed. */
  locate(proof: ProofRecord): Promise<ProofRecord>;
  present(proof: ProofRecord, answer: string): Promise<void>;
  /** Why the proof cannot be seen from here, in one sentence; undefined if it can. Throws if the order must then fail. */
  check(proof: ProofRecord, answer: string): Promise<string | undefined>;
  /** Removes the proof. Does not throw if the backend does not respond. */
  withdraw(proof: ProofRecord, answer: string): Promise<void>;
  /** Tests the backend without publishing anything, and returns a sentence about it. Throws UpstreamFailed. */
  readonly probe?: () => Promise<string>;
  /** Returns what people have to publish, and where. */
  instruction(proof: ProofRecord, answer: string): { readonly place: string; readonly content: string };
}

export interface HttpProverDeps extends DbDeps {
  /** Why the answer cannot be read at its host name; undefined if it can, or if the check is off. */
  readonly probe: (proof: ProofRecord, answer: string) => Promise<string | undefined>;
}

/** Proofs by files under this service's own paths. */
export function createHttpProver(deps: HttpProverDeps): Prover {
  return {
    wanted: ['http-01'],
    isManual: false,
    locate: async (proof) => proof,
    present: async ({ token, identifier }, keyAuthorization) => {
      const now = deps.clock.now();
      const expiresAt = new Date(now.getTime() + tokenLifeMs);
      const row = { token, identifier: identifier.value, keyAuthorization, createdAt: now, expiresAt };
      await deps.db.transaction((tx) => putChallengeToken(tx, row));
    },
    check: deps.probe,
    withdraw: async ({ token }) => deps.db.transaction((tx) => deleteChallengeToken(tx, token)),
    instruction: httpInstruction,
  };
}

// After a week without progress, an order has expired at every CA.
const tokenLifeMs = 7 * 86_400_000;

/** Proofs by TXT records that a backend publishes. */
export function createDnsProver(
  dns: DnsBackend,
  { logger, alias }: { readonly logger: Logger; readonly alias?: string | undefined },
): Prover {
  const recordFor = (proof: ProofRecord, answer: string) =>
    recordOf(proof, answer, proof.recordName ?? alias);
  return {
    wanted: ['dns-01'],
    isManual: false,
    locate: async (proof) => {
      const recordName = alias ?? (await dns.nameOf(challengeName(proof.identifier.value)));
      return { ...proof, recordName };
    },
    present: (proof, answer) => dns.present(recordFor(proof, answer), { ...proof, answer }),
    check: (proof, answer) => dns.propagated(recordFor(proof, answer)),
    withdraw: async (proof, answer) => {
      const record = recordFor(proof, answer);
      try {
        await dns.cleanUp(record, { ...proof, answer });
      } catch (error) {
        logger.warn({ name: record.name, error }, 'acme.record_not_removed');
      }
    },
    probe: dns.probe,
    instruction: (proof, answer) => dnsInstruction(proof, answer, alias),
  };
}

/** Proofs that people publish: a TXT record where the CA allows it, else a file. */
export function createManualProver({ alias }: { readonly alias?: string | undefined }): Prover {
  const nothing = async () => undefined;
  return {
    wanted: ['dns-01', 'http-01'],
    isManual: true,
    locate: async (proof) => proof,
    present: nothing,
    check: nothing,
    withdraw: nothing,
    instruction: (proof, answer) =>
      proof.type === 'dns-01' ? dnsInstruction(proof, answer, alias) : httpInstruction(proof, answer),
  };
}

function recordOf({ identifier }: ProofRecord, answer: string, alias: string | undefined) {
  return dnsProof(identifier.value, answer, alias);
}

function dnsInstruction(proof: ProofRecord, answer: string, alias: string | undefined) {
  const { name, value } = recordOf(proof, answer, alias);
  return { place: `${name} TXT`, content: value };
}

function httpInstruction({ identifier, token }: ProofRecord, answer: string) {
  const host = identifier.value.includes(':') ? `[${identifier.value}]` : identifier.value;
  return { place: `http://${host}/.well-known/acme-challenge/${token}`, content: answer };
}
