import { useMarks } from '../charts/use-marks.browser.js';
import { calendarDay, countOf, exactTime, lengthOf } from '../times.js';

interface DownDay {
  /** Such as `2026-01-31`. */
  readonly day: string;
  readonly seconds: number;
}

const daySeconds = 86_400;
const hint = 'Choose a mark to see what it stands for.';

/** Days as a strip: the height of a mark is the share of the day that the check was down. */
export function DowntimeStrip({
  days,
  sentence,
}: {
  readonly days: readonly DownDay[];
  readonly sentence: string;
}) {
  const { place, leave, markProps } = useMarks(days.length);
  const chosen = place === undefined ? undefined : days[place];
  return (
    <figure className="cl-figure">
      <figcaption>{sentence}</figcaption>
      <svg
        className="cl-downtimes"
        viewBox={`0 0 ${Math.max(1, days.length) * 4} 24`}
        preserveAspectRatio="none"
        onPointerLeave={leave}
      >
        <title>Days of downtime</title>
        {days.map(({ day, seconds }, at) => {
          const height = seconds === 0 ? 0 : Math.max(3, Math.min(24, (seconds / daySeconds) * 24));
          return (
            <g key={day} {...markProps(at, textOfDay({ day, seconds }))}>
              <rect className="cl-day" x={at * 4} y="0" width="3" height="24" />
              {height > 0 && (
                <rect className="cl-run-f" x={at * 4} y={24 - height} width="3" height={height} />
              )}
            </g>
          );
        })}
      </svg>
      <p className="cl-note">{chosen === undefined ? hint : textOfDay(chosen)}</p>
      <details>
        <summary>Show as a table</summary>
        <DownDays days={days.filter(({ seconds }) => seconds > 0)} />
      </details>
    </figure>
  );
}

function textOfDay({ day, seconds }: DownDay): string {
  return `${calendarDay(day)}: ${seconds === 0 ? 'not down' : `down for ${lengthOf(seconds)}`}`;
}

/** The days with a downtime, the latest first. */
function DownDays({ days }: { readonly days: readonly DownDay[] }) {
  if (days.length === 0) return <p className="cl-dim">There is no day with a downtime.</p>;
  const rows = days.toReversed().map(({ day, seconds }) => [calendarDay(day), lengthOf(seconds)]);
  return <ChartTable label="Days with a downtime" titles={['Day', 'Down for']} rows={rows} />;
}

interface Bucket {
  readonly at: string;
  readonly min: number;
  readonly p50: number;
  readonly max: number;
  readonly runs: number;
  readonly fails: number;
}

const [width, height] = [600, 120];

/** Durations of runs: a line from the shortest to the longest, a dot at the median, a cross where a run failed. */
export function DurationChart({ buckets }: { readonly buckets: readonly Bucket[] }) {
  const { place, leave, markProps } = useMarks(buckets.length);
  const maxSeconds = Math.max(...buckets.map(({ max }) => max), 0.001);
  const step = width / Math.max(1, buckets.length);
  const y = (seconds: number) => height - 8 - (seconds / maxSeconds) * (height - 16);
  const chosen = place === undefined ? undefined : buckets[place];
  const latest = lengthOf(buckets.at(-1)?.p50 ?? 0);
  return (
    <figure className="cl-figure">
      <figcaption>
        Durations of runs: the longest took {lengthOf(maxSeconds)}, the latest {latest}.
      </figcaption>
      {buckets.length > 1 && (
        <>
          <svg
            className="cl-durations"
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            onPointerLeave={leave}
          >
            <title>Durations of runs</title>
            {buckets.map((bucket, at) => {
              const { min, p50, max, fails } = bucket;
              const x = at * step + step / 2;
              return (
                <g key={bucket.at + String(at)} {...markProps(at, textOfBucket(bucket))}>
                  <rect className="cl-mark-room" x={at * step} y="0" width={step} height={height} />
                  <line className="cl-extent" x1={x} x2={x} y1={y(min)} y2={y(max)} />
                  <rect className="cl-median" x={x - 2} y={y(p50) - 2} width="4" height="4" />
                  {fails > 0 && <path className="cl-cross" d={`M${x - 4} ${y(max) - 4}l8 8m0 -8l-8 8`} />}
                </g>
              );
            })}
          </svg>
          <p className="cl-note">{chosen === undefined ? hint : textOfBucket(chosen)}</p>
        </>
      )}
      <details>
        <summary>Show as a table</summary>
        <DurationTable buckets={buckets} />
      </details>
    </figure>
  );
}

function textOfBucket({ at, min, p50, max, runs, fails }: Bucket): string {
  const failed = fails === 0 ? '' : `, ${countOf(fails, 'failure')}`;
  const length =
    min === max ? lengthOf(p50) : `${lengthOf(min)} to ${lengthOf(max)}, median ${lengthOf(p50)}`;
  return `${exactTime(at)}: ${countOf(runs, 'run')}${failed}, ${length}`;
}

function DurationTable({ buckets }: { readonly buckets: readonly Bucket[] }) {
  return (
    <ChartTable
      label="Durations of runs"
      titles={['Until', 'Shortest', 'Median', 'Longest', 'Runs', 'Failed']}
      rows={buckets
        .toReversed()
        .map(({ at, min, p50, max, runs, fails }) => [
          exactTime(at),
          lengthOf(min),
          lengthOf(p50),
          lengthOf(max),
          String(runs),
          String(fails),
        ])}
    />
  );
}

/** Shows the values of a chart as texts; the first of each row names it. */
function ChartTable({
  label,
  titles,
  rows,
}: {
  readonly label: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  return (
    <div className="cl-scroll">
      <table className="cl-table" aria-label={label}>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], place) => (
            <tr key={`${name} ${place}`}>
              <th scope="row">{name}</th>
              {cells.map((cell, column) => (
                <td key={titles[column + 1]} data-title={titles[column + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
