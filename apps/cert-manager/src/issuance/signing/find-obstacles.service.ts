import type { InvalidInput } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { batched } from '@certloop/server';
import { keyCompromised, listCompromisedKeys } from '../../certificates/compromised-keys.repository.js';
import type { CsrRow } from '../../csrs/csrs.repository.js';
import { findRefusals } from '../../csrs/issuance-refusals.service.js';
import type { FqdnRow } from '../../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import {
  listProvidersById,
  type ProviderRow,
  providerNotFound,
} from '../../providers/providers.repository.js';

/** CSR to sign, with its FQDN and the provider that signs it. */
export interface IssuanceSubject {
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
}

/**
 * Why the CA of each subject, at least one, must not be asked; undefined if it may. It is an InvalidInput if the policy of
 * the space does not allow a name or the provider, the key is compromised, or the provider is disabled or not configured.
 */
export async function findObstacles(
  tx: Tx,
  opener: ProviderOpener,
  subjects: readonly IssuanceSubject[],
): Promise<(Error | undefined)[]> {
  const checked = await checkSubjects(tx, subjects);
  return subjects.map(({ provider }, index) => checked[index]?.refusal ?? faultOf(opener, provider));
}

/** Whether a CA may be asked for a subject, whether its provider is enabled or not. */
export interface SubjectCheck {
  /** Undefined if the policy of its space allows it and its key is not compromised. */
  readonly refusal: InvalidInput | undefined;
  /** Whether a certificate for the key of the CSR was revoked as compromised. */
  readonly isKeyCompromised: boolean;
}

/** Checks subjects by the policies of their spaces and by their keys, in their order. */
export async function checkSubjects(tx: Tx, subjects: readonly IssuanceSubject[]): Promise<SubjectCheck[]> {
  if (subjects.length === 0) return [];
  const byPolicy = await findRefusals(tx, subjects);
  const keys = subjects.map(({ csr }) => csr.spkiSha256);
  const compromised = await listCompromisedKeys(tx, keys);
  return subjects.map(({ csr }, index) => {
    const isKeyCompromised = compromised.has(csr.spkiSha256);
    return {
      refusal: byPolicy[index] ?? (isKeyCompromised ? keyCompromised() : undefined),
      isKeyCompromised,
    };
  });
}

/** The refusal of a subject by the policy of its space, or for its key, whether its provider is enabled or not. */
export async function findRefusalOf(tx: Tx, subject: IssuanceSubject): Promise<InvalidInput | undefined> {
  return (await checkSubjects(tx, [subject]))[0]?.refusal;
}

function faultOf(opener: ProviderOpener, provider: ProviderRow): Error | undefined {
  try {
    opener.openForSigning(provider);
    return undefined;
  } catch (error) {
    // one that cannot be opened is no obstacle to the others
    return error instanceof Error ? error : new Error(String(error));
  }
}

// as many as are checked in a few milliseconds
const maxTogether = 32;

/**
 * A function that judges a subject again, by its policy, key and provider as they are now. Rejects with what findObstacles
 * returns, and with NotFound if the provider was deleted. Calls at the same time share their statements.
 */
export function createObstacleCheck(
  db: Database,
  opener: ProviderOpener,
): (subject: IssuanceSubject) => Promise<void> {
  return batched(async (subjects: readonly IssuanceSubject[]) => {
    const obstacles = await db.read(async (tx) => {
      const ids = [...new Set(subjects.map(({ provider }) => provider.id))];
      const providers = new Map((await listProvidersById(tx, ids)).map((row) => [row.id, row]));
      const current = subjects.map((subject) => ({
        ...subject,
        provider: providers.get(subject.provider.id) ?? subject.provider,
      }));
      const found = await findObstacles(tx, opener, current);
      return found.map((obstacle, index) =>
        providers.has(subjects[index]?.provider.id ?? '') ? obstacle : providerNotFound(),
      );
    });
    return obstacles.map((reason) =>
      reason === undefined ? { status: 'fulfilled', value: undefined } : { status: 'rejected', reason },
    );
  }, maxTogether);
}
