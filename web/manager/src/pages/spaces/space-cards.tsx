import type { Space } from '@certloop/contracts/browser';
import { countOf, Fact, Moment, StateChip } from '@certloop/web-kit';
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
        {watchEnabled === false && <StateChip tone="idle" shape="bars" word="not watched" />}
      </div>
      {description !== '' && <p className="cl-dim cl-anywhere">{description}</p>}
      {counts !== undefined && counts.total > 0 && <StateCounts counts={counts} spaceId={id} />}
      <dl className="cl-facts">
        {counts !== undefined && (
          <Fact title="Names">{counts.total === 0 ? 'none yet' : countOf(counts.total, 'name')}</Fact>
        )}
        {nextExpiry !== undefined && (
          <Fact title="Next expiry">
            <Moment at={nextExpiry} />
          </Fact>
        )}
        <Fact title="Your level">{level}</Fact>
      </dl>
    </section>
  );
}
