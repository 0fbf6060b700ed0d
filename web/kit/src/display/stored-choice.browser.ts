import { useState } from 'react';

/** One of `options` that this browser stores under `name`; the first one until another is chosen. */
export function useStoredChoice<Option extends string>(
  name: string,
  options: readonly Option[],
): readonly [chosen: Option | undefined, choose: (option: Option) => void] {
  const key = `certloop-${name}`;
  const [chosen, show] = useState(() => options.find((option) => option === stored(key)) ?? options[0]);
  const choose = (option: Option) => {
    show(option);
    try {
      localStorage.setItem(key, option);
    } catch {
      // storage is refused: it lasts until the page is loaded again
    }
  };
  return [chosen, choose];
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
