import { type KeyboardEvent, useRef, useState } from 'react';
import { placeAfterKey } from './bar-heights.js';

export type Marks = ReturnType<typeof useMarks>;

/**
 * Marks of a chart that the keyboard reaches: one tab stop leads to the mark at `start`, the last one if absent, and arrow
 * keys to the others. Enter, a space or a click presses a mark that has `press`.
 */
export function useMarks(count: number, start = count - 1) {
  const [place, setPlace] = useState<number>();
  const marks = useRef<(SVGGElement | null)[]>([]);
  return {
    /** The mark that has the focus or the pointer. */
    place,
    leave: () => setPlace(undefined),
    markProps: (at: number, label: string, press?: () => void) => ({
      className: 'cl-mark',
      role: press === undefined ? 'img' : 'button',
      'aria-label': label,
      tabIndex: at === Math.min(place ?? start, count - 1) ? 0 : -1,
      ref: (mark: SVGGElement | null) => {
        marks.current[at] = mark;
      },
      onFocus: () => setPlace(at),
      onPointerEnter: () => setPlace(at),
      onClick: press,
      onKeyDown: (event: KeyboardEvent) => {
        if (press !== undefined && (event.key === 'Enter' || event.key === ' ')) {
          event.preventDefault();
          press();
          return;
        }
        const next = placeAfterKey(event.key, at, count);
        if (next === undefined) return;
        event.preventDefault();
        marks.current[next]?.focus();
      },
    }),
  };
}
