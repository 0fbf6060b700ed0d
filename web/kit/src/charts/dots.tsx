import type { ReactNode } from 'react';

export interface Dot {
  readonly key: string;
  /** Shown before its track. */
  readonly label: ReactNode;
  /** Part of the track before the dot, from 0 to 1. */
  readonly share: number;
  /** Shown after its track. */
  readonly text: ReactNode;
}

/** A few moments as dots on tracks of the same length, each with its name and its date. */
export function Dots({ sentence, dots }: { readonly sentence: string; readonly dots: readonly Dot[] }) {
  return (
    <figure className="cl-figure">
      <figcaption>{sentence}</figcaption>
      <ul className="cl-dots">
        {dots.map(({ key, label, share, text }) => (
          <li key={key}>
            <span className="cl-anywhere">{label}</span>
            <svg className="cl-dot-track" viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
              <line x1="0" x2="1000" y1="8" y2="8" />
              <rect x={Math.max(0, Math.min(990, share * 990))} y="2" width="10" height="12" />
            </svg>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
