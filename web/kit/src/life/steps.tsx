import type { ReactNode } from 'react';
import { StateChip } from './state-chip.js';

interface Step {
  readonly key: string;
  readonly isDone: boolean;
  readonly text: ReactNode;
}

/** Steps in their order, each with whether it is done; the next one stands out. */
export function Steps({ steps, label }: { readonly steps: readonly Step[]; readonly label?: string }) {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <ol className="cl-numbered" aria-label={label}>
      {steps.map((step) => (
        <li
          key={step.key}
          className={step.isDone || step === next ? undefined : 'cl-dim'}
          aria-current={step === next ? 'step' : undefined}
        >
          {step.text} {step.isDone && <StateChip tone="ok" shape="check" word="done" />}
        </li>
      ))}
    </ol>
  );
}
