import type { FqdnState, FqdnStatus } from '@certloop/contracts/browser';
import { type Mark, nameWords, readableTimes, StateChip, stateWords } from '@certloop/web-kit';

/** The words also stand with a number of names, and as the label of a filter. */
export const stateMarks: Readonly<Record<FqdnState, Mark>> = {
  expired: { tone: 'bad', shape: 'octagon', word: stateWords.expired },
  failing: { tone: 'bad', shape: 'triangle', word: stateWords.failing },
  due: { tone: 'warn', shape: 'clock', word: stateWords.due },
  unfinished: { tone: 'idle', shape: 'circle', word: stateWords.unfinished },
  valid: { tone: 'ok', shape: 'check', word: stateWords.valid },
};

/** The state of a name in plain words, and what happens with it now; its reason on hover. */
export function FqdnStateChip({ status }: { readonly status: FqdnStatus }) {
  return (
    <span className="cl-row" title={readableTimes(status.reason)}>
      <StateChip {...stateMarks[status.state]} word={nameWords(status)} />
      {status.activity !== undefined && <StateChip tone="active" shape="turning" word={status.activity} />}
    </span>
  );
}
