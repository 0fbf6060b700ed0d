import type { FqdnState, FqdnStatus } from '@certloop/contracts/browser';
import { readableTimes, StateChip, type StateShape, type Tone } from '@certloop/web-kit';

interface Mark {
  readonly tone: Tone;
  readonly shape: StateShape;
  /** On its own, and as the label of a filter. */
  readonly word: string;
}

export const stateMarks: Readonly<Record<FqdnState, Mark>> = {
  expired: { tone: 'bad', shape: 'octagon', word: 'expired' },
  failing: { tone: 'bad', shape: 'triangle', word: 'failing' },
  due: { tone: 'warn', shape: 'clock', word: 'due' },
  unfinished: { tone: 'idle', shape: 'circle', word: 'unfinished' },
  valid: { tone: 'ok', shape: 'check', word: 'valid' },
};

/** The state of a name, and what happens with it at this moment; its reason on hover. */
export function FqdnStateChip({ status }: { readonly status: FqdnStatus }) {
  const { tone, shape, word } = stateMarks[status.state];
  return (
    <span className="cl-row" title={readableTimes(status.reason)}>
      <StateChip tone={tone} shape={shape}>
        {word}
      </StateChip>
      {status.activity !== undefined && (
        <StateChip tone="active" shape="turning">
          {status.activity}
        </StateChip>
      )}
    </span>
  );
}
