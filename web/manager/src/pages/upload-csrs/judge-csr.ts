import type { CsrReview, Fqdn, UploadedFile } from '@certloop/contracts/browser';
import { csrNames } from '@certloop/web-kit';
import { csrUpload } from '../../csrs/csr-file.js';
import { includesLevel } from '../../rights.js';
import { api } from '../../service.js';

/** A CSR of the list. */
export interface CsrRow {
  readonly key: string;
  /** Its file, and its number where the file has several. */
  readonly title: string;
  readonly file: UploadedFile;
  readonly pem: string;
  /** The name that the user has chosen for it, where several fit. */
  readonly fqdnId?: string;
}

/** CSR with its subject and the review by the service. */
export interface JudgedCsr {
  /** Names that it fits and that the user may change, in different spaces. */
  readonly candidates: readonly Fqdn[];
  /** Undefined while the user has to choose. */
  readonly fqdn?: Fqdn | undefined;
  readonly review?: CsrReview;
}

// a CSR with more names is for one of the first, or the user uploads it at the name
const maxLookups = 10;

/** Finds the name that a CSR is for, and lets the service judge it there. Throws with the sentence for the user. */
export async function judgeCsr({ pem, file, fqdnId }: CsrRow): Promise<JudgedCsr> {
  const names = csrNames(pem);
  if (names.length === 0) throw new Error('No host name can be read in this file. Is it a CSR in PEM?');
  const candidates = await findFqdns(names.slice(0, maxLookups));
  const fqdn = candidates.length === 1 ? candidates[0] : candidates.find(({ id }) => id === fqdnId);
  if (fqdn === undefined) return { candidates };
  const reply = await api.uploadCsr({ ...csrUpload(fqdn, file), query: { dryRun: 'true' } });
  if (reply.status !== 200) throw new Error('The service has stored this CSR. Reload the page.');
  return { candidates, fqdn, review: reply.body };
}

/** The names that the user may change, for the first of `names` that is one. Throws if there is none. */
async function findFqdns(names: readonly string[]): Promise<readonly Fqdn[]> {
  let isReadOnly = false;
  for (const fqdn of names) {
    const { body } = await api.listAllFqdns({ query: { fqdn, include: 'status', limit: '100' } });
    const writable = body.filter(({ level }) => includesLevel(level, 'READ_WRITE'));
    if (writable.length > 0) return writable;
    isReadOnly ||= body.length > 0;
  }
  throw new Error(
    isReadOnly
      ? `You may only read ${names[0]}. It takes the level READ_WRITE on its space to store a CSR.`
      : `No name fits this CSR, which asks for ${names.slice(0, 3).join(', ')}. Add the name to a space first.`,
  );
}

/** Returns what changes with a CSR. */
export function remarksOn({ differs }: CsrReview): readonly string[] {
  return [
    ...(differs?.key === true ? ['It has a new key. The next certificate works only with the new key.'] : []),
    ...(differs?.names === true ? ['It asks for other names than the stored CSR.'] : []),
    ...(differs?.key === false && !differs.names ? ['The stored CSR has the same key and names.'] : []),
  ];
}
