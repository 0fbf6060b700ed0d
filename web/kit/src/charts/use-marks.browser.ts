import { type KeyboardEvent, useRef, useState } from 'react';
import { placeAfterKey } from './bar-heights.js';

/** Marks of a chart that the keyboard reaches: one tab stop leads to the last one, and arrow keys to the others. */
export function useMarks(count: number) {
  const [place, setPlace] = useState<number>();
  const marks = useRef<(SVGGElement | null)[]>([]);
  return {
    /** The mark that has the focus or the pointer. */
    place,
    leave: () => setPlace(undefined),
    markProps: (at: number, label: string) => ({
      className: 'cl-mark',
      role: 'img',
      'aria-label': label,
      tabIndex: at === Math.min(place ?? count - 1, count - 1) ? 0 : -1,
      ref: (mark: SVGGElement | null) => {
        marks.current[at] = mark;
      },
      onFocus: () => setPlace(at),
      onPointerEnter: () => setPlace(at),
      onKeyDown: (event: KeyboardEvent) => {
        const next = placeAfterKey(event.key, at, count);
        if (next === undefined) return;
        event.preventDefault();
        marks.current[next]?.focus();
      },
    }),
  };
}
