import type { ExpiryTimeline } from '@certloop/contracts/browser';
import {
  Dots,
  dayOf,
  expirySentence,
  hostText,
  Loaded,
  LongName,
  relativeTime,
  StackedBars,
  useNow,
  WaitingBars,
} from '@certloop/web-kit';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTimeline } from './ahead.js';

const series = [
  { label: 'renew automatically', tone: 'ok' },
  { label: 'need a hand', tone: 'warn' },
  { label: 'failing', tone: 'bad' },
] as const;

/** When certificates end, by week and by what happens to them; a few of them by name. */
export function ExpiryCard({ isReady = true }: { readonly isReady?: boolean }) {
  const timeline = useTimeline(isReady);
  return (
    <section className="cl-panel" aria-label="Expiry">
      <h2>When certificates expire</h2>
      <Loaded query={timeline} waiting={<WaitingBars />}>
        {(data) => <Ends timeline={data} />}
      </Loaded>
    </section>
  );
}

function Ends({ timeline }: { readonly timeline: ExpiryTimeline }) {
  const now = useNow();
  const navigate = useNavigate();
  const { buckets, names } = timeline;
  const sentence = expirySentence(timeline);
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (names !== undefined && first !== undefined && last !== undefined) {
    const begin = Date.parse(first.start);
    const length = Math.max(1, Date.parse(last.start) + weekMs - begin);
    const dots = names.map(({ fqdnId, spaceId, fqdn, expiresAt }) => ({
      key: fqdnId,
      label: (
        <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }} aria-label={hostText(fqdn)}>
          <LongName>{fqdn}</LongName>
        </Link>
      ),
      share: (Date.parse(expiresAt) - begin) / length,
      text: <time dateTime={expiresAt}>{relativeTime(expiresAt, now)}</time>,
    }));
    return <Dots sentence={sentence} dots={dots} />;
  }
  return (
    <StackedBars
      sentence={sentence}
      rowTitle="Week"
      series={series}
      bars={buckets.map(({ start, willRenew, needsHand, failing }) => ({
        key: start,
        label: `Week of ${dayOf(start)}`,
        counts: [willRenew, needsHand, failing],
      }))}
      open={(start) => {
        const expiresBefore = new Date(Date.parse(start) + weekMs).toISOString();
        void navigate({ to: '/fqdns', search: { expiresFrom: start, expiresBefore, sort: 'expiresAt' } });
      }}
    />
  );
}

const weekMs = 7 * 86_400_000;
