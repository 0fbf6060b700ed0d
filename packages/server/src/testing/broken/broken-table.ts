import { type BrokenSequence, brokenSequences, type Place, requestOf } from './broken-sequences.js';
import { type Listener, sendRaw, statusesOf } from './raw-responses.js';

/**
 * Sends each broken sequence to a place, and a valid request at last. Returns a sentence for each that was
 * not answered as it must be: with the right number of responses, in the order of the requests; none if all were.
 */
export async function faultsAt(place: Place, listener: Listener): Promise<string[]> {
  const faults: string[] = [];
  for (const sequence of brokenSequences) {
    const statuses = statusesOf(await sendRaw(listener, sequence.steps(place)));
    if (!isExpected(statuses, sequence, place)) {
      faults.push(`${sequence.name}: ${statuses.join(', ') || 'no response'}`);
    }
  }
  const alive = statusesOf(await sendRaw(listener, [requestOf(place, 'Connection: close')]));
  if (alive.length !== 1 || alive[0] !== place.status) faults.push(`a valid request: ${alive.join(', ')}`);
  return faults;
}

function isExpected(
  statuses: readonly (number | string)[],
  { steps, expected }: BrokenSequence,
  place: Place,
): boolean {
  // the client did not read on
  if (steps(place).includes('reset')) return true;
  const { status, orStatus = 400 } = place;
  const isMissing = expected.at(-1) === 'perhaps' && statuses.length === expected.length - 1;
  if (statuses.length !== expected.length && !isMissing) return false;
  return statuses.every((found, index) => {
    const wanted = expected[index];
    if (wanted === 'own') return found === status;
    if (wanted === 'perhaps') return Math.floor(Number(found) / 100) === 4;
    return wanted === 'own or 400' ? [status, orStatus, 400].includes(Number(found)) : found === wanted;
  });
}
