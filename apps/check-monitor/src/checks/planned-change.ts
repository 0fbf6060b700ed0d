import type { CheckAction } from '@certloop/contracts';
import type { Micros } from '../instants.js';
import { type Check, tagsOf } from './check.js';
import { type Flip, outcomeOfPause, outcomeOfResume } from './check-state.js';
import type { StateChange } from './check-timing.js';

/** A change of many checks that each check takes alone. */
export type OwnChange =
  | { readonly action: Extract<CheckAction, 'pause' | 'resume'> }
  | { readonly action: Extract<CheckAction, 'add-tags' | 'remove-tags'>; readonly tags: readonly string[] };

/** Effect on a check: its new values, nothing as it is so already, or nothing for a reason. */
export type PlannedChange =
  | { readonly outcome: 'changed'; readonly state: StateChange; readonly flip: Flip | undefined }
  | { readonly outcome: 'changed'; readonly tags: string }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'skipped'; readonly reason: string };

/** Characters that the tags of a check may have. */
const maxTags = 500;
const unchanged = { outcome: 'unchanged' } as const;

/** Returns what a change makes of a check at `now`. */
export function plannedChange(check: Check, change: OwnChange, now: Micros): PlannedChange {
  switch (change.action) {
    case 'pause':
      return check.storedStatus === 'paused'
        ? unchanged
        : { outcome: 'changed', ...outcomeOfPause(check, now) };
    case 'resume':
      return check.storedStatus === 'paused'
        ? { outcome: 'changed', ...outcomeOfResume(check, now) }
        : unchanged;
    case 'add-tags':
      return plannedTags(check, [...new Set([...tagsOf(check.tags), ...change.tags])]);
    case 'remove-tags':
      return plannedTags(
        check,
        tagsOf(check.tags).filter((tag) => !change.tags.includes(tag)),
      );
  }
}

function plannedTags(check: Pick<Check, 'tags'>, tags: readonly string[]): PlannedChange {
  // a tag that stands twice, and blanks, stay where nothing else changes
  const before = new Set(tagsOf(check.tags));
  if (tags.length === before.size && tags.every((tag) => before.has(tag))) return unchanged;
  const text = tags.join(' ');
  return text.length > maxTags
    ? { outcome: 'skipped', reason: `its tags would have more than ${maxTags} characters` }
    : { outcome: 'changed', tags: text };
}
