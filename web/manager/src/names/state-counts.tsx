import type { FqdnCounts } from '@certloop/contracts/browser';
import { countText, StateChip } from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import { stateMarks } from './fqdn-state.js';

const worstFirst = ['expired', 'failing', 'due', 'unfinished', 'valid'] as const;

/** How many names are in each state, of one space or of all, each with a link to these names. */
export function StateCounts({
  counts,
  spaceId,
}: {
  readonly counts: FqdnCounts;
  /** Undefined for the names of all spaces. */
  readonly spaceId?: string;
}) {
  return (
    <ul className="cl-states" aria-label="Names by state">
      {worstFirst.map((state) => {
        const { tone, shape, word } = stateMarks[state];
        const chip = <StateChip tone={tone} shape={shape} word={`${countText(counts[state])} ${word}`} />;
        return (
          counts[state] > 0 && (
            <li key={state}>
              {spaceId === undefined ? (
                <Link to="/fqdns" search={{ state }}>
                  {chip}
                </Link>
              ) : (
                <Link to="/spaces/$spaceId" params={{ spaceId }} search={{ state }}>
                  {chip}
                </Link>
              )}
            </li>
          )
        );
      })}
    </ul>
  );
}
