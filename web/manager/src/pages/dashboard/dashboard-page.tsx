import type { FqdnCounts } from '@certloop/contracts/browser';
import { ClockNotice, countOf, ErrorPanel, Loaded, useTitle, Waiting } from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StateCounts } from '../../names/state-counts.js';
import { ExpiryCard } from '../../outlook/expiry-card.js';
import { SlackCard } from '../../outlook/slack-card.js';
import { AttentionCard } from './attention-card.js';
import { Checklist } from './checklist.js';
import { useDashboardLayout } from './dashboard-layout.js';
import { useCounts } from './dashboard-queries.js';
import { FirstSteps } from './first-steps.js';
import { NextRenewalsCard } from './next-renewals-card.js';
import { WatchCard } from './watch-card.js';

/** Shows what fails, what will need a person next and when, and what an outage of a CA would mean. */
export function DashboardPage() {
  useTitle('Dashboard', 'manager');
  const query = useCounts();
  const { data: counts } = query;
  const { layout, checklist } = useDashboardLayout(counts);
  if (counts === undefined && query.isError) {
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  }
  return (
    // the cards have their places before it is known whether there is a name
    <Loaded query={{ ...query, data: { counts } }}>
      {() =>
        layout === 'cards' || layout === 'checklist' ? (
          <Ahead counts={counts} top={layout === 'checklist' && <Checklist {...checklist} />} />
        ) : (
          <>
            <h1>Dashboard</h1>
            {layout === 'empty' ? <FirstSteps /> : <Waiting />}
          </>
        )
      }
    </Loaded>
  );
}

function Ahead({ counts, top }: { readonly counts: FqdnCounts | undefined; readonly top: ReactNode }) {
  return (
    <>
      <div className="cl-title">
        <h1>{counts === undefined ? 'Dashboard' : headline(counts)}</h1>
        {counts !== undefined && <StateCounts counts={counts} />}
      </div>
      <ClockNotice />
      {top}
      <div className="cl-columns">
        <div className="cl-column">
          <AttentionCard needsYou={counts?.needsYou} />
          <ExpiryCard isReady={counts !== undefined} />
          {counts !== undefined && <UnfinishedCard count={counts.unfinished} />}
        </div>
        <div className="cl-column">
          <SlackCard isReady={counts !== undefined} />
          <NextRenewalsCard total={counts?.total} />
          <WatchCard />
        </div>
      </div>
    </>
  );
}

/** Names that have no certificate yet. */
function UnfinishedCard({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <section className="cl-panel" aria-label="Names not set up">
      <h2>Names not set up</h2>
      <p>
        {countOf(count, 'name has', 'names have')} no certificate yet.{' '}
        <Link to="/fqdns" search={{ state: 'unfinished' }}>
          Show {count === 1 ? 'it' : 'them'}
        </Link>
      </p>
    </section>
  );
}

/** Whether a person is needed, in a sentence. */
function headline({ total, needsYou, unfinished }: FqdnCounts): string {
  if (needsYou > 0) return `${countOf(needsYou, 'name needs you', 'names need you')}`;
  if (unfinished === total) return `${countOf(total, 'name is', 'names are')} not set up yet`;
  if (unfinished > 0) return 'No name needs you';
  return total === 1 ? 'Your name is safe' : `All ${countOf(total, 'name')} are safe`;
}
