import {
  background,
  calendarMonth,
  countOf,
  countText,
  DowntimeStrip,
  DurationChart,
  keyedBy,
  Loaded,
  lengthOf,
  queryOptions,
  WaitingLines,
} from '@certloop/web-kit';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../service.js';

interface Shown {
  readonly projectId: string;
  readonly checkId: string;
  /** The chart is loaded again when one of these changes. */
  readonly pings: number;
  readonly status: string;
}

/** How long runs took, and when the check was down. */
export function HistoryCard({ projectId, checkId, pings, status }: Shown) {
  const params = { projectId, checkId };
  const durations = useQuery({
    ...keyedBy(
      queryOptions(api.getDurations, { params, query: { points: '60' }, headers: background }),
      pings,
    ),
    select: ({ buckets }) => buckets,
    placeholderData: keepPreviousData,
  });
  const downtimes = useQuery({
    ...keyedBy(
      queryOptions(api.getDowntimes, { params, query: { days: '90' }, headers: background }),
      status,
    ),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="cl-panel" aria-label="History">
      <h2>Downtimes</h2>
      <Loaded query={downtimes} waiting={<WaitingLines count={7} />}>
        {({ days, months }) => {
          const down = days.filter((day) => day.seconds > 0);
          const seconds = down.reduce((sum, day) => sum + day.seconds, 0);
          const sentence =
            down.length === 0
              ? `Not down in the last ${countOf(days.length, 'day')}.`
              : `Down on ${countText(down.length)} of the last ${countOf(days.length, 'day')}, ${lengthOf(seconds)} in all.`;
          return (
            <>
              <DowntimeStrip days={days} sentence={sentence} />
              <ul className="cl-list" aria-label="Downtimes by month">
                {months.toReversed().map(({ month, count, seconds: length }) => (
                  <li key={month}>
                    {calendarMonth(month)}:{' '}
                    {count === 0 ? 'not down' : `down ${countOf(count, 'time')}, ${lengthOf(length)}`}
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
      <h2>Durations</h2>
      <Loaded query={durations} waiting={<WaitingLines count={2} />}>
        {(buckets) =>
          buckets.length === 0 ? (
            <p className="cl-dim">
              No run was measured yet. Ping the address with <span className="cl-mono">/start</span> when the
              job begins.
            </p>
          ) : (
            <DurationChart buckets={buckets} />
          )
        }
      </Loaded>
    </section>
  );
}
