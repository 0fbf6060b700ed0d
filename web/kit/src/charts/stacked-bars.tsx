import { useId } from 'react';
import { countText } from '../times.js';
import { type Bar, partsOfBar, totalOf } from './bar-heights.js';
import { type Marks, useMarks } from './use-marks.browser.js';

export interface Series {
  /** Name of what is counted, such as `renew automatically`. */
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
  const marks = useMarks(bars.length, 0);
  const shown = marks.place === undefined ? undefined : bars[marks.place];
  return (
    <figure className="cl-figure">
      <figcaption>{sentence}</figcaption>
      <Legend series={series} />
      <Bars {...props} marks={marks} />
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
  /** Title of the labels of bars, in the table. */
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
  readonly marks: Marks;
}

function Bars({ sentence, series, bars, open, marks }: BarsProps) {
  const hatch = useId();
  const highest = Math.max(0, ...bars.map(totalOf));
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn */}
      <svg
        className="cl-bars"
        viewBox={`0 0 ${Math.max(1, bars.length) * barWidth} 100`}
        preserveAspectRatio="none"
        role="group"
        aria-label={sentence}
        onPointerLeave={marks.leave}
      >
        <defs>
          <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse">
            <rect width="4" height="4" className="cl-part-warn" />
            <path d="M-1 1l2-2M0 4l4-4M3 5l2-2" className="cl-hatch" />
          </pattern>
        </defs>
        {bars.map((bar, at) => (
          <g
            key={bar.key}
            {...marks.markProps(at, textOf(bar, series), open && (() => open(bar.key)))}
            className="cl-bar"
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
