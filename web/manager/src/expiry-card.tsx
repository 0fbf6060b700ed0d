import type { ExpiryTimeline } from '@certloop/contracts/browser';
import { countOf, Dots, dayOf, Loaded, relativeTime, StackedBars, useNow } from '@certloop/web-kit';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTimeline } from './ahead.js';

const series = [
  { label: 'renew automatically', tone: 'ok' },
  { label: 'need a hand', tone: 'warn' },
  { label: 'fail', tone: 'bad' },
] as const;

/** When certificates end, by week and by what becomes of them; a few of them by name. */
export function ExpiryCard() {
  const timeline = useTimeline();
  return (
    <section className="cl-panel" aria-label="Expiry">
      <h2>When certificates expire</h2>
      <Loaded query={timeline}>{(data) => <Ends timeline={data} />}</Loaded>
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
        <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
          {fqdn}
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

function expirySentence({ buckets, overdue, later }: ExpiryTimeline): string {
  const sum = (count: (bucket: ExpiryTimeline['buckets'][number]) => number) =>
    buckets.reduce((total, bucket) => total + count(bucket), 0);
  const all = sum(({ willRenew, needsHand, failing }) => willRenew + needsHand + failing);
  const unrenewed = sum(({ needsHand, failing }) => needsHand + failing);
  const cause =
    unrenewed === 0
      ? 'All of them renew automatically'
      : `${countOf(unrenewed, 'of them does not', 'of them do not')} renew automatically`;
  const beside = [
    ...(overdue > 0 ? [`${countOf(overdue, 'certificate')} expired before.`] : []),
    ...(later > 0 ? [`${countOf(later, 'certificate')} will expire later.`] : []),
  ].join(' ');
  const sentence =
    all === 0
      ? 'No certificate expires within 26 weeks.'
      : `${countOf(all, 'certificate expires', 'certificates expire')} within 26 weeks. ${cause}.`;
  return `${sentence} ${beside}`.trim();
}
