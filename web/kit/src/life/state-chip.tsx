import type { ReactNode } from 'react';

/** How bad a state is. */
export type Tone = 'ok' | 'warn' | 'bad' | 'active' | 'idle';

/** Which state it is; filled shapes are harm now, outlined ones harm to come. */
export type StateShape = 'circle' | 'check' | 'clock' | 'triangle' | 'octagon' | 'bars' | 'turning';

/** How a state is shown. */
export interface Mark {
  readonly tone: Tone;
  readonly shape: StateShape;
  readonly word: string;
}

const shapes: Readonly<Record<StateShape, ReactNode>> = {
  circle: <circle cx="8" cy="8" r="6" strokeDasharray="2.4 2.3" />,
  check: (
    <>
      <circle cx="8" cy="8" r="6.3" />
      <path d="M5.2 8.3l2 2 3.6-4.2" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="6.3" />
      <path d="M8 4.6V8l2.2 1.6" />
    </>
  ),
  triangle: <path d="M8 2 1.6 13.6h12.8zM8 6.4v3.4M8 11.6v.3" />,
  octagon: (
    <>
      <path d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3z" fill="currentColor" />
      <path d="M8 4.8v4M8 11v.3" className="cl-chip-hole" />
    </>
  ),
  bars: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2" />,
  turning: <path d="M13.5 8A5.5 5.5 0 1 1 11.6 3.8M13.7 1.8v3h-3" />,
};

/** A state as a shape with its word; tone and shape never stand alone. */
export function StateChip({ tone, shape, word }: Omit<Mark, 'word'> & { readonly word: ReactNode }) {
  return (
    <span className="cl-chip" data-tone={tone}>
      <svg
        className={shape === 'turning' ? 'cl-turning' : undefined}
        width="14"
        height="14"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {shapes[shape]}
      </svg>
      <span>{word}</span>
    </span>
  );
}
