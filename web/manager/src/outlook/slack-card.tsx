import type { Outlook, Provider } from '@certloop/contracts/browser';
import {
  type Column,
  countText,
  DataTable,
  dayOf,
  hostText,
  Loaded,
  lengthOf,
  relativeTime,
  useNow,
  WaitingLine,
  WaitingTable,
} from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import { providerName, useProviders } from '../providers.js';
import { useOutlook } from './ahead.js';
import { PaceLine } from './pace-line.js';

type ProviderOutlook = Outlook['providers'][number];

/** Shows what an outage of the CAs would mean: the first certificate that is lost, and how long each may be away. */
export function SlackCard({ isReady = true }: { readonly isReady?: boolean }) {
  const outlook = useOutlook(isReady);
  const providers = useProviders().data;
  return (
    <section className="cl-panel" aria-label="If a CA is away">
      <h2>If a CA is away</h2>
      <Loaded query={outlook} waiting={<WaitingSlack providers={providers} />}>
        {({ providers: rows }) =>
          rows.length === 0 ? (
            <p className="cl-dim">No renewal is planned, so no outage of a CA delays one.</p>
          ) : (
            <>
              <FirstLoss rows={rows} />
              <DataTable
                label="How long each CA may be away"
                columns={columnsFor(providers)}
                rows={rows.toSorted((a, b) => slackOf(a) - slackOf(b))}
                rowKey={({ providerId }) => providerId}
              />
              {rows.map(({ providerId, pace }) =>
                pace === undefined ? null : (
                  <p key={providerId} className="cl-strip">
                    {providerName(providers, providerId)} is <PaceLine pace={pace} />.
                  </p>
                ),
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** In the place of a sentence of usual length, and of the providers that can be asked. */
function WaitingSlack({ providers = [] }: { readonly providers: readonly Provider[] | undefined }) {
  const asked = providers.filter(({ enabled }) => enabled);
  return (
    <div className="cl-waiting" data-shape="">
      <div className="cl-sentence" aria-hidden="true">
        <WaitingLine />
        <WaitingLine />
        <WaitingLine />
      </div>
      <WaitingTable
        columns={columnsFor(undefined)}
        rows={Math.max(1, asked.length)}
        textOf={(row, key) => (key === 'name' ? asked[row]?.displayName : undefined)}
      />
    </div>
  );
}

/** Seconds for which a provider may be away; endless without anything to renew. */
function slackOf({ survivableOutageSeconds }: ProviderOutlook): number {
  return survivableOutageSeconds ?? Number.POSITIVE_INFINITY;
}

function FirstLoss({ rows }: { readonly rows: readonly ProviderOutlook[] }) {
  const now = useNow();
  const [loss] = rows
    .flatMap(({ firstLoss }) => (firstLoss === undefined ? [] : [firstLoss]))
    .toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));
  if (loss === undefined) return null;
  return (
    <p className="cl-sentence">
      If every CA stopped now, the first certificate to expire of those that are to be renewed is that of{' '}
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId: loss.spaceId, fqdnId: loss.fqdnId }}>
        {hostText(loss.fqdn)}
      </Link>
      : on {dayOf(loss.expiresAt)}, {relativeTime(loss.expiresAt, now)}.
    </p>
  );
}

function columnsFor(providers: readonly Provider[] | undefined): readonly Column<ProviderOutlook>[] {
  return [
    {
      key: 'name',
      title: 'Provider',
      cell: ({ providerId }) => (
        <Link to="/fqdns" search={{ providerId }}>
          {providerName(providers, providerId)}
        </Link>
      ),
    },
    {
      key: 'slack',
      title: 'May be away for',
      width: '7.75rem',
      cell: ({ survivableOutageSeconds: seconds }) =>
        seconds === null ? 'as long as it takes' : seconds === 0 ? 'no time' : lengthOf(seconds),
    },
    {
      key: 'due',
      title: 'Due in 24 h',
      width: '5.75rem',
      cell: ({ dueIn24h }) => countText(dueIn24h),
    },
    {
      key: 'drain',
      title: 'Takes',
      width: '4.5rem',
      cell: ({ dueIn24h, drainSeconds }) => (dueIn24h === 0 ? 'no time' : lengthOf(drainSeconds)),
    },
  ];
}
