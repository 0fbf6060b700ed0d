// How pages look in this browser, besides their colors. It is stored in the browser.

import { useSyncExternalStore } from 'react';
import { writeTimesIn } from '../times.js';

export const densities = ['compact', 'usual', 'roomy'] as const;
/** Height of the rows of tables: 30, 36 or 44 pixels, or more where their content is higher. */
export type Density = (typeof densities)[number];

export const timeZones = ['browser', 'UTC'] as const;
/** The zone of the moments on pages. */
export type TimeZone = (typeof timeZones)[number];

export interface Display {
  readonly density: Density;
  readonly timeZone: TimeZone;
  /** Whether the first steps of a new installation are no longer shown. */
  readonly isChecklistHidden: boolean;
}

const keys = {
  density: 'certloop-density',
  timeZone: 'certloop-time-zone',
  checklist: 'certloop-checklist',
} as const;
const listeners = new Set<() => void>();
let shown: Display = { density: 'usual', timeZone: 'browser', isChecklistHidden: false };

/** Shows pages as this browser has stored it, here and when another tab changes it. To be called once. */
export function followStoredDisplay(): void {
  show(stored());
  addEventListener('storage', () => show(stored()));
}

/** Changes how pages look, and stores it. */
export function changeDisplay(change: Partial<Display>): void {
  show({ ...shown, ...change });
  try {
    localStorage.setItem(keys.density, shown.density);
    localStorage.setItem(keys.timeZone, shown.timeZone);
    localStorage.setItem(keys.checklist, shown.isChecklistHidden ? 'hidden' : 'shown');
  } catch {
    // storage is refused: it lasts until the page is loaded again
  }
}

/** How pages look now. */
export function useDisplay(): Display {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}

function stored(): Display {
  try {
    const [density, timeZone] = [localStorage.getItem(keys.density), localStorage.getItem(keys.timeZone)];
    return {
      density: densities.find((one) => one === density) ?? 'usual',
      timeZone: timeZones.find((one) => one === timeZone) ?? 'browser',
      isChecklistHidden: localStorage.getItem(keys.checklist) === 'hidden',
    };
  } catch {
    return shown;
  }
}

function show(display: Display): void {
  shown = display;
  document.documentElement.dataset['density'] = display.density;
  writeTimesIn(display.timeZone === 'UTC' ? 'UTC' : undefined);
  for (const listener of listeners) listener();
}
