import type { FqdnCounts } from '@certloop/contracts/browser';
import { changeDisplay, type DashboardLayout, useDisplay } from '@certloop/web-kit';
import { useEffect } from 'react';
import { useRights } from '../../rights.js';
import { useChecklist } from './checklist.js';

/**
 * Returns what the dashboard shows, and the checklist for it. Until that is known it is what this browser showed last,
 * so that no card appears and goes again.
 */
export function useDashboardLayout(counts: FqdnCounts | undefined) {
  const { isAdmin } = useRights();
  const { checklist: choice, dashboard: last } = useDisplay();
  const checklist = useChecklist(counts, isAdmin && choice !== 'hidden');
  const isOver = choice === 'auto' && checklist.steps?.every(({ isDone }) => isDone) === true;
  const hasChecklist = isAdmin && choice !== 'hidden' && !isOver;
  const isDecided = checklist.steps !== undefined || checklist.failed !== undefined;
  const known = knownLayout(counts, hasChecklist, isDecided);
  useEffect(() => {
    // the list of a finished installation does not come back when its monitor is away
    if (isAdmin && isOver) changeDisplay({ checklist: 'hidden' });
  }, [isAdmin, isOver]);
  useEffect(() => {
    if (known !== undefined && known !== last) changeDisplay({ dashboard: known });
  }, [known, last]);
  return { layout: known ?? expectedLayout(counts, hasChecklist, last), checklist };
}

function knownLayout(
  counts: FqdnCounts | undefined,
  hasChecklist: boolean,
  isDecided: boolean,
): DashboardLayout | undefined {
  if (counts === undefined) return undefined;
  if (counts.total === 0) return 'empty';
  if (!hasChecklist) return 'cards';
  return isDecided ? 'checklist' : undefined;
}

/** As it was last, as far as what is known agrees; else undefined. */
function expectedLayout(
  counts: FqdnCounts | undefined,
  hasChecklist: boolean,
  last: DashboardLayout | undefined,
): DashboardLayout | undefined {
  if (last === undefined || last === 'empty') return counts === undefined ? last : undefined;
  if (!hasChecklist) return 'cards';
  return last === 'checklist' ? last : undefined;
}
