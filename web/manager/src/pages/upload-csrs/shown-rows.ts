import type { Fix } from '@certloop/contracts/browser';
import type { RowState } from '../../row-work.js';
import type { CsrRow, JudgedCsr } from './judge-csr.js';

/** A row with what is known about it. */
export interface ShownRow {
  readonly row: CsrRow;
  readonly judged?: JudgedCsr;
  /** Why it cannot be stored. */
  readonly fault?: string;
  /** Repair of the CSR. */
  readonly fix?: Fix | undefined;
  readonly isJudging: boolean;
  readonly isReady: boolean;
}

/** Key of the work on a CSR: another choice of its name is judged again. */
export const judgingKey = ({ key, fqdnId }: CsrRow) => `${key} ${fqdnId ?? ''}`;

/** The rows with their states; of several for the same name only the first is ready. */
export function judgedRows(
  rows: readonly CsrRow[],
  states: ReadonlyMap<string, RowState<JudgedCsr>>,
): readonly ShownRow[] {
  const taken = new Set<string>();
  return rows.map((row) => {
    const state = states.get(judgingKey(row));
    if (state?.status === 'refused') {
      return { row, fault: state.message, fix: state.fix, isJudging: false, isReady: false };
    }
    if (state?.status !== 'done') return { row, isJudging: state !== undefined, isReady: false };
    const judged = state.result;
    const { fqdn } = judged;
    if (fqdn === undefined) return { row, judged, isJudging: false, isReady: false };
    if (taken.has(fqdn.id)) {
      const fault = 'A CSR above is for the same name. Leave one of them out.';
      return { row, judged, fault, isJudging: false, isReady: false };
    }
    taken.add(fqdn.id);
    return { row, judged, isJudging: false, isReady: true };
  });
}
