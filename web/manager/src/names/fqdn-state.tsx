import type { FqdnState, FqdnStatus } from '@certloop/contracts/browser';
import {
  nameWords,
  readableTimes,
  StateChip,
  type StateShape,
  stateWords,
  type Tone,
} from '@certloop/web-kit';

interface Mark {
  readonly tone: Tone;
  readonly shape: StateShape;
  /** With a number of names, and as the label of a filter. */
  readonly word: string;
}

export const stateMarks: Readonly<Record<FqdnState, Mark>> = {
  expired: { tone: 'bad', shape: 'octagon', word: stateWords.expired },
  failing: { tone: 'bad', shape: 'triangle', word: stateWords.failing },
  due: { tone: 'warn', shape: 'clock', word: stateWords.due },
  unfinished: { tone: 'idle', shape: 'circle', word: stateWords.unfinished },
  valid: { tone: 'ok', shape: 'check', word: stateWords.valid },
};

/** The state of a name in plain words, and what happens with it now; its reason on hover. */
export function FqdnStateChip({ status }: { readonly status: FqdnStatus }) {
  const { tone, shape } = stateMarks[status.state];
  return (
    <span className="cl-row" title={readableTimes(status.reason)}>
      <StateChip tone={tone} shape={shape}>
        {nameWords(status)}
      </StateChip>
      {status.activity !== undefined && (
        <StateChip tone="active" shape="turning">
          {status.activity}
        </StateChip>
      )}
    </span>
  );
}
