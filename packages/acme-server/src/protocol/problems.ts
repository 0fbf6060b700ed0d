import { AcmeProblem, type AcmeProblemType, AppError } from '@certloop/contracts';

/** Returns what `read` returns; what it refuses becomes a problem of the type, with the refusal as its cause. */
export function orProblem<T>(type: AcmeProblemType, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AcmeProblem(type, error.message, { cause: error });
  }
}

/** Refusal of an address that names nothing: `malformed` with status 404. */
export function noSuch(what: string): AcmeProblem {
  return new AcmeProblem('malformed', `no such ${what}`, { kind: 'not_found' });
}
