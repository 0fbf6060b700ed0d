import { dayOf, exactTime, lengthOf } from './times.js';

interface DownDay {
  /** Such as `2026-01-31`. */
  readonly day: string;
  readonly seconds: number;
}

const daySeconds = 86_400;

/** Days as a strip: the height of a mark is the share of the day that the check was down. */
export function DowntimeStrip({
  days,
  sentence,
}: {
  readonly days: readonly DownDay[];
  readonly sentence: string;
}) {
  return (
    <svg
      className="cl-downtimes"
      viewBox={`0 0 ${Math.max(1, days.length) * 4} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={sentence}
    >
      {days.map(({ day, seconds }, place) => {
        const height = seconds === 0 ? 0 : Math.max(3, Math.min(24, (seconds / daySeconds) * 24));
        return (
          <g key={day}>
            <title>{`${dayOf(day)}: ${seconds === 0 ? 'not down' : `down for ${lengthOf(seconds)}`}`}</title>
            <rect className="cl-day" x={place * 4} y="0" width="3" height="24" />
            {height > 0 && (
              <rect className="cl-run-f" x={place * 4} y={24 - height} width="3" height={height} />
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface Bucket {
  readonly at: string;
  readonly min: number;
  readonly p50: number;
  readonly max: number;
  readonly runs: number;
  readonly fails: number;
}

/** Durations of runs: a line from the shortest to the longest, a dot at the median, a cross where a run failed. */
export function DurationChart({ buckets }: { readonly buckets: readonly Bucket[] }) {
  const maxSeconds = Math.max(...buckets.map(({ max }) => max), 0.001);
  const width = 600;
  const height = 120;
  const step = width / Math.max(1, buckets.length);
  const y = (seconds: number) => height - 8 - (seconds / maxSeconds) * (height - 16);
  const last = buckets.at(-1);
  const sentence = `Durations of runs: the longest took ${lengthOf(maxSeconds)}, the latest ${lengthOf(last?.p50 ?? 0)}.`;
  return (
    <figure className="cl-figure">
      <figcaption>{sentence}</figcaption>
      {buckets.length > 1 && (
        <svg
          className="cl-durations"
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={sentence}
        >
          {buckets.map(({ at, min, p50, max, fails }, place) => {
            const x = place * step + step / 2;
            return (
              <g key={at + String(place)}>
                <line className="cl-extent" x1={x} x2={x} y1={y(min)} y2={y(max)} />
                <rect className="cl-median" x={x - 2} y={y(p50) - 2} width="4" height="4" />
                {fails > 0 && <path className="cl-cross" d={`M${x - 4} ${y(max) - 4}l8 8m0 -8l-8 8`} />}
              </g>
            );
          })}
        </svg>
      )}
      <details>
        <summary>Show as a table</summary>
        <DurationTable buckets={buckets} />
      </details>
    </figure>
  );
}

function DurationTable({ buckets }: { readonly buckets: readonly Bucket[] }) {
  return (
    <div className="cl-scroll">
      <table className="cl-table" aria-label="Durations of runs">
        <thead>
          <tr>
            {['Until', 'Shortest', 'Median', 'Longest', 'Runs', 'Failed'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.toReversed().map(({ at, min, p50, max, runs, fails }, place) => (
            <tr key={at + String(place)}>
              <th scope="row">{exactTime(at)}</th>
              <td data-title="Shortest">{lengthOf(min)}</td>
              <td data-title="Median">{lengthOf(p50)}</td>
              <td data-title="Longest">{lengthOf(max)}</td>
              <td data-title="Runs">{runs}</td>
              <td data-title="Failed">{fails}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
