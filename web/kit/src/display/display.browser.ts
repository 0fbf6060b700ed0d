// How pages look in this browser, besides their colors. It is stored in the browser.

import { useSyncExternalStore } from 'react';
import { writeTimesIn } from '../times.js';

export const densities = ['compact', 'usual', 'roomy'] as const;
/** Height of the rows of tables: 30, 36 or 44 pixels, or more where their content is higher. */
export type Density = (typeof densities)[number];

export const timeZones = ['browser', 'UTC'] as const;
/** The zone of the moments on pages. */
export type TimeZone = (typeof timeZones)[number];

export const keyChoices = ['on', 'off'] as const;

const checklistChoices = ['auto', 'hidden', 'wanted'] as const;
const dashboardLayouts = ['empty', 'checklist', 'cards'] as const;
/** Layout of a dashboard: the way to the first name, the first steps above the cards, or the cards alone. */
export type DashboardLayout = (typeof dashboardLayouts)[number];

export interface Display {
  readonly density: Density;
  readonly timeZone: TimeZone;
  /** Whether the first steps of a new installation are shown: until all are done, never, or until they are hidden. */
  readonly checklist: (typeof checklistChoices)[number];
  /** Layout that the dashboard showed last in this browser. */
  readonly dashboard: DashboardLayout | undefined;
  /** Whether keys of single characters act on the page. */
  readonly keys: (typeof keyChoices)[number];
}

const names = {
  density: 'certloop-density',
  timeZone: 'certloop-time-zone',
  checklist: 'certloop-checklist',
  dashboard: 'certloop-dashboard',
  keys: 'certloop-keys',
} as const;
const listeners = new Set<() => void>();
let shown: Display = {
  density: 'usual',
  timeZone: 'browser',
  checklist: 'auto',
  dashboard: undefined,
  keys: 'on',
};

/** Shows pages as this browser has stored it, here and when another tab changes it. To be called once. */
export function followStoredDisplay(): void {
  show(stored());
  // what the dashboards of other tabs show is theirs
  addEventListener('storage', () => show({ ...stored(), dashboard: shown.dashboard }));
}

/** Changes how pages look, and stores it. */
export function changeDisplay(change: Partial<Display>): void {
  show({ ...shown, ...change });
  try {
    localStorage.setItem(names.density, shown.density);
    localStorage.setItem(names.timeZone, shown.timeZone);
    localStorage.setItem(names.checklist, shown.checklist);
    if (shown.dashboard !== undefined) localStorage.setItem(names.dashboard, shown.dashboard);
    localStorage.setItem(names.keys, shown.keys);
  } catch {
    // storage is refused: it lasts until the page is loaded again
  }
}

/** How pages look now. */
export function shownDisplay(): Display {
  return shown;
}

/** How pages look now; the component is drawn again when that changes. */
export function useDisplay(): Display {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, shownDisplay);
}

/** Name of the zone of the moments on pages, such as `Europe/Riga`. */
export function useShownZone(): string {
  const { timeZone } = useDisplay();
  return timeZone === 'UTC' ? timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function stored(): Display {
  try {
    return {
      density: wordIn(densities, names.density) ?? 'usual',
      timeZone: wordIn(timeZones, names.timeZone) ?? 'browser',
      checklist: wordIn(checklistChoices, names.checklist) ?? 'auto',
      dashboard: wordIn(dashboardLayouts, names.dashboard),
      keys: wordIn(keyChoices, names.keys) ?? 'on',
    };
  } catch {
    return shown;
  }
}

function wordIn<Word extends string>(words: readonly Word[], name: string): Word | undefined {
  const found = localStorage.getItem(name);
  return words.find((word) => word === found);
}

function show(display: Display): void {
  shown = display;
  document.documentElement.dataset['density'] = display.density;
  writeTimesIn(display.timeZone === 'UTC' ? 'UTC' : undefined);
  for (const listener of listeners) listener();
}
