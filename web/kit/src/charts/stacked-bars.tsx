import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { countText } from '../times.js';
import { type Bar, partsOfBar, placeAfterKey, totalOf } from './bar-heights.js';

export interface Series {
  /** What the counts are of, such as `renew automatically`. */
  readonly label: string;
  readonly tone: 'ok' | 'warn' | 'bad';
}

const barWidth = 10;

/**
 * Counts as bars of several parts, with a sentence above that says what they show, and the same as a table. One tab stop
 * leads to the bars, and arrow keys from one to the next; what a bar stands for is written below. Enter or a click calls
 * `open`.
 */
export function StackedBars(props: StackedBarsProps) {
  const { sentence, series, bars } = props;
  const [place, setPlace] = useState<number>();
  const shown = place === undefined ? undefined : bars[place];
  return (
    <figure className="cl-figure">
      <figcaption>{sentence}</figcaption>
      <Legend series={series} />
      <Bars {...props} place={place} setPlace={setPlace} />
      <div className="cl-axis" aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <p className="cl-note">
        {shown === undefined ? 'Choose a bar to see its counts.' : textOf(shown, series)}
      </p>
      <details>
        <summary>Show as a table</summary>
        <CountsTable {...props} />
      </details>
    </figure>
  );
}

interface StackedBarsProps {
  readonly sentence: string;
  /** What the label of a bar is, in the table. */
  readonly rowTitle: string;
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
  readonly open?: (key: string) => void;
}

function Legend({ series }: Pick<StackedBarsProps, 'series'>) {
  return (
    <ul className="cl-legend">
      {series.map(({ label, tone }) => (
        <li key={label}>
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <rect width="12" height="12" className={`cl-part-${tone}`} />
            {tone === 'warn' && <path d="M-2 6l8-8M-2 14L14-2M6 14l8-8" className="cl-hatch" />}
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

interface BarsProps extends Omit<StackedBarsProps, 'rowTitle'> {
  /** The bar whose counts are written below. */
  readonly place: number | undefined;
  readonly setPlace: (place: number | undefined) => void;
}

function Bars({ sentence, series, bars, open, place, setPlace }: BarsProps) {
  const marks = useRef<(SVGGElement | null)[]>([]);
  const hatch = useId();
  const highest = Math.max(0, ...bars.map(totalOf));
  const onKeyDown = (event: KeyboardEvent, at: number, key: string) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      open?.(key);
      return;
    }
    const next = placeAfterKey(event.key, at, bars.length);
    if (next === undefined) return;
    event.preventDefault();
    marks.current[next]?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn */}
      <svg
        className="cl-bars"
        viewBox={`0 0 ${Math.max(1, bars.length) * barWidth} 100`}
        preserveAspectRatio="none"
        role="group"
        aria-label={sentence}
        onPointerLeave={() => setPlace(undefined)}
      >
        <defs>
          <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse">
            <rect width="4" height="4" className="cl-part-warn" />
            <path d="M-1 1l2-2M0 4l4-4M3 5l2-2" className="cl-hatch" />
          </pattern>
        </defs>
        {bars.map((bar, at) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: its role is img or button, which the rule cannot read
          <g
            key={bar.key}
            ref={(mark) => {
              marks.current[at] = mark;
            }}
            className="cl-bar"
            role={open === undefined ? 'img' : 'button'}
            aria-label={textOf(bar, series)}
            tabIndex={at === (place ?? 0) ? 0 : -1}
            onFocus={() => setPlace(at)}
            onPointerEnter={() => setPlace(at)}
            onKeyDown={(event) => onKeyDown(event, at, bar.key)}
            onClick={() => open?.(bar.key)}
          >
            <rect className="cl-bar-room" x={at * barWidth} y="0" width={barWidth} height="100" />
            <BarParts bar={bar} highest={highest} x={at * barWidth + 1} hatch={hatch} series={series} />
          </g>
        ))}
      </svg>
    </>
  );
}

/** The parts of a bar, one above the other. */
function BarParts({
  bar,
  highest,
  x,
  hatch,
  series,
}: {
  readonly bar: Bar;
  readonly highest: number;
  readonly x: number;
  /** Id of the pattern that fills warnings. */
  readonly hatch: string;
  readonly series: readonly Series[];
}) {
  return partsOfBar(bar.counts, highest).map(({ series: number, top, height }) => {
    const tone = series[number]?.tone ?? 'ok';
    const fill = tone === 'warn' ? `url(#${hatch})` : undefined;
    return (
      <rect
        key={number}
        className={`cl-part-${tone}`}
        fill={fill}
        x={x}
        y={top}
        width={barWidth - 2}
        height={height}
      />
    );
  });
}

function CountsTable({ sentence, rowTitle, series, bars }: StackedBarsProps) {
  return (
    <div className="cl-scroll">
      <table className="cl-table" aria-label={sentence}>
        <thead>
          <tr>
            {[rowTitle, ...series.map(({ label }) => label)].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.key}>
              <th scope="row">{bar.label}</th>
              {series.map(({ label }, number) => (
                <td key={label} data-title={label}>
                  {countText(bar.counts[number] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(bar: Bar, series: readonly Series[]): string {
  const parts = series.flatMap(({ label }, number) => {
    const count = bar.counts[number] ?? 0;
    return count === 0 ? [] : [`${countText(count)} ${label}`];
  });
  return `${bar.label}: ${parts.length === 0 ? 'none' : parts.join(', ')}`;
}
