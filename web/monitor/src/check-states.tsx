import type { CheckCounts, CheckStatus } from '@certloop/contracts/browser';
import { countText, type Mark, StateChip } from '@certloop/web-kit';

const states: Readonly<Record<CheckStatus, Mark>> = {
  down: { tone: 'bad', shape: 'octagon', word: 'down' },
  grace: { tone: 'warn', shape: 'clock', word: 'late' },
  new: { tone: 'idle', shape: 'circle', word: 'new' },
  up: { tone: 'ok', shape: 'check', word: 'up' },
  paused: { tone: 'idle', shape: 'bars', word: 'paused' },
};

/** States of checks, those in need first. */
export const statusOrder = Object.keys(states) as readonly CheckStatus[];

/** The word for people. */
export function wordOf(status: string): string {
  return states[status as CheckStatus]?.word ?? status;
}

/** A state with its shape, and beside it whether the job runs. */
export function CheckStateChip({
  status,
  isRunning = false,
}: {
  readonly status: CheckStatus;
  readonly isRunning?: boolean;
}) {
  return (
    <span className="cl-row">
      <StateChip {...states[status]} />
      {isRunning && <StateChip tone="active" shape="turning" word="running" />}
    </span>
  );
}

/** The counts that are not zero, the bad ones first, such as `2 down, 1 late, 41 up`. */
export function countsText(counts: CheckCounts): string {
  const parts = statusOrder.filter((status) => counts[status] > 0);
  return parts.map((status) => `${countText(counts[status])} ${states[status].word}`).join(', ');
}

/** Number of all checks; running ones count among the others. */
export function sumOf(counts: CheckCounts): number {
  return statusOrder.reduce((sum, status) => sum + counts[status], 0);
}

/** The counts as a bar, the bad ones first, with their words below. */
export function CountStrip({ counts }: { readonly counts: CheckCounts }) {
  return (
    <div className="cl-lines">
      <span className="cl-counts" aria-hidden="true">
        {statusOrder
          .filter((status) => counts[status] > 0)
          .map((status) => (
            <span key={status} data-tone={states[status].tone} style={{ flexGrow: counts[status] }} />
          ))}
      </span>
      <span>{countsText(counts)}</span>
    </div>
  );
}

/** The name of a check for people. */
export function nameOfCheck({ name, slug }: { readonly name: string; readonly slug: string }): string {
  return name || slug || 'unnamed';
}

/** Title of a page in the window: what is wrong, then its name, such as `2 down – Jobs`. */
export function titleOf(counts: Pick<CheckCounts, 'down' | 'grace'> | undefined, name: string): string {
  const worst = (['down', 'grace'] as const).find((status) => (counts?.[status] ?? 0) > 0);
  return worst === undefined || counts === undefined
    ? name
    : `${countText(counts[worst])} ${states[worst].word} – ${name}`;
}

/** Tone of the worst state, for the icon of the tab. */
export function worstOf(
  counts: Pick<CheckCounts, 'down' | 'grace' | 'up'>,
): 'bad' | 'warn' | 'ok' | undefined {
  if (counts.down > 0) return 'bad';
  if (counts.grace > 0) return 'warn';
  return counts.up > 0 ? 'ok' : undefined;
}
