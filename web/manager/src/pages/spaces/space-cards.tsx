import type { Space } from '@certloop/contracts/browser';
import { countOf, Moment, StateChip } from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import { StateCounts } from '../../names/state-counts.js';

/** A few spaces, each with what it holds and what the user may do there. */
export function SpaceCards({ spaces }: { readonly spaces: readonly Space[] }) {
  return (
    <div className="cl-cards">
      {spaces.map((space) => (
        <SpaceCard key={space.id} space={space} />
      ))}
    </div>
  );
}

function SpaceCard({ space }: { readonly space: Space }) {
  const { id, name, description, counts, nextExpiry, level, watchEnabled } = space;
  return (
    <section className="cl-panel" aria-label={name}>
      <div className="cl-title">
        <h2 className="cl-anywhere">
          <Link to="/spaces/$spaceId" params={{ spaceId: id }}>
            {name}
          </Link>
        </h2>
        {watchEnabled === false && (
          <StateChip tone="idle" shape="bars">
            not watched
          </StateChip>
        )}
      </div>
      {description !== '' && <p className="cl-dim cl-anywhere">{description}</p>}
      {counts !== undefined && counts.total > 0 && <StateCounts counts={counts} spaceId={id} />}
      <dl className="cl-facts">
        {counts !== undefined && (
          <>
            <dt>Names</dt>
            <dd>{counts.total === 0 ? 'none yet' : countOf(counts.total, 'name')}</dd>
          </>
        )}
        {nextExpiry !== undefined && (
          <>
            <dt>Next expiry</dt>
            <dd>
              <Moment at={nextExpiry} />
            </dd>
          </>
        )}
        <dt>Your level</dt>
        <dd>{level}</dd>
      </dl>
    </section>
  );
}
