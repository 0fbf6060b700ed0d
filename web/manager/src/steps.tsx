import { StateChip } from '@certloop/web-kit';
import type { ReactNode } from 'react';

interface Step {
  readonly key: string;
  readonly isDone: boolean;
  readonly text: ReactNode;
}

/** Steps in their order, each with whether it is done. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className="cl-numbered">
      {steps.map(({ key, isDone, text }) => (
        <li key={key}>
          {text}{' '}
          {isDone && (
            <StateChip tone="ok" shape="check">
              done
            </StateChip>
          )}
        </li>
      ))}
    </ol>
  );
}
