import { type Life, lifeMarks } from './life-line-marks.js';

/** The life of a certificate as a line; `sentence` says the same in words, unless words beside it do. */
export function LifeLine({
  life,
  now,
  sentence,
}: {
  readonly life: Life;
  readonly now: number;
  readonly sentence?: string;
}) {
  const { parts, now: place, window } = lifeMarks(life, now);
  let from = 0;
  const drawn = parts.map(({ tone, share }) => {
    const part = { tone, from, share };
    from += share;
    return part;
  });
  return (
    <svg
      className="cl-life"
      viewBox="0 0 1000 20"
      preserveAspectRatio="none"
      role={sentence === undefined ? undefined : 'img'}
      aria-label={sentence}
      aria-hidden={sentence === undefined || undefined}
    >
      {drawn.map((part) => (
        <rect
          key={part.tone}
          className={`cl-life-${part.tone}`}
          x={part.from * 1000}
          y="7"
          width={part.share * 1000}
          height="6"
        />
      ))}
      {window !== undefined && (
        <rect
          className="cl-life-window"
          x={window.from * 1000}
          y="7"
          width={window.share * 1000}
          height="6"
        />
      )}
      <rect className="cl-life-now" x={Math.min(996, place * 1000 - 2)} y="1" width="4" height="18" />
    </svg>
  );
}
