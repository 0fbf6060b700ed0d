import { InvalidInput } from '@certloop/contracts';
import { isStorable } from '../storable-text.js';
import type { Kind } from './kind.js';
import { type ChannelKind, channelKinds } from './kinds.js';

/** Whether people read what channels of the kind get, so that several changes may come in one message. */
export function isForPeople(kind: string): boolean {
  return kindNamed(kind)?.isForPeople ?? true;
}

/** Label of the kind for people; its name if the kind no longer exists. */
export function labelOf(kind: string): string {
  return kindNamed(kind)?.label ?? kind;
}

/** Returns the kind of that name, or undefined. */
export function kindNamed(name: string): Kind | undefined {
  const kind = findKind(name);
  return kind && channelKinds[kind];
}

export const channelKindNames = Object.keys(channelKinds) as readonly ChannelKind[];

/** Kind of that name, or undefined. */
export function findKind(name: string): ChannelKind | undefined {
  return channelKindNames.find((kind) => kind === name);
}

/** Settings of a channel with their defaults. Throws InvalidInput that names the first fault, never a value. */
export function parseChannelSettings(kind: ChannelKind, given: unknown): object {
  if (!isStorable(given)) {
    throw new InvalidInput('settings: a text is not valid Unicode, or has null characters');
  }
  const result = channelKinds[kind].settings.safeParse(given);
  if (result.success) return result.data;
  const [fault] = result.error.issues;
  const path = fault?.path.join('.') ?? '';
  throw new InvalidInput(`settings${path === '' ? '' : `.${path}`}: ${fault?.message ?? 'are not valid'}`);
}

/** Settings as they may be shown. */
export function withoutSecrets(kind: ChannelKind, settings: object): object {
  const shown = structuredClone(settings);
  for (const { path } of channelKinds[kind].secrets) {
    const { holder, name } = memberAt(shown, path);
    if (holder !== undefined) delete holder[name];
  }
  return shown;
}

/**
 * Settings as edited by someone who was not shown the secrets: those omitted stay as they were, unless they would be
 * sent to another host, which would reveal them.
 */
export function keepSecrets(kind: ChannelKind, edited: object, stored: object): object {
  const merged = structuredClone(edited);
  for (const { path, sentTo } of channelKinds[kind].secrets) {
    const to = memberAt(merged, path);
    const from = memberAt(stored, path);
    if (to.holder === undefined || from.holder === undefined || to.name in to.holder) continue;
    if (sentTo === null || valueAt(edited, sentTo) === valueAt(stored, sentTo)) {
      to.holder[to.name] = from.holder[from.name];
    }
  }
  return merged;
}

/** Value of the member of a path; undefined when there is none. */
export function valueAt(settings: object, path: string): unknown {
  const { holder, name } = memberAt(settings, path);
  return holder?.[name];
}

/** Object that holds the member of a path; undefined when it does not exist. */
function memberAt(settings: object, path: string) {
  const names = path.split('.');
  const name = names.pop() ?? '';
  let holder: unknown = settings;
  for (const step of names) holder = (holder as Record<string, unknown> | null | undefined)?.[step];
  const isObject = typeof holder === 'object' && holder !== null;
  return { name, holder: isObject ? (holder as Record<string, unknown>) : undefined };
}
