import type { PingAction } from './signal.js';

/** Which check a ping address names. */
export type PingTarget = { readonly kind: 'uuid'; readonly uuid: string } | SlugTarget;

export interface SlugTarget {
  readonly kind: 'slug';
  readonly pingKey: string;
  readonly slug: string;
  /** Make the check if there is none of that slug. */
  readonly create: boolean;
}

/** A ping address taken apart; exit status and run id are as written, since unknown checks come first. */
export interface PingAddress {
  readonly target: PingTarget;
  readonly action: PingAction;
  readonly exitStatus: string | undefined;
  readonly runId: string | undefined;
}

const uuid = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}';
const word = '[-A-Za-z0-9_]+';
const suffix = '(?:/(?:(start|fail|log)|([0-9]+)))?/?';
// a uuid with any other suffix reads as a ping key with a slug
const byUuid = new RegExp(`^(${uuid})${suffix}$`);
const bySlug = new RegExp(`^(${word})/(${word})${suffix}$`);

/**
 * Address of a ping: `path` is what follows `/ping/`, `query` what follows the question mark. Undefined when it is
 * none. Of a parameter given twice the last counts.
 */
export function parsePingAddress(path: string, query: string): PingAddress | undefined {
  const decoded = decodePath(path);
  if (decoded === undefined) return undefined;
  const parameters = query === '' ? undefined : new URLSearchParams(query);
  const runId = parameters?.getAll('rid').at(-1);
  const [, checkUuid, uuidAction, uuidExit] = byUuid.exec(decoded) ?? [];
  if (checkUuid !== undefined) {
    const target = { kind: 'uuid', uuid: checkUuid.toLowerCase() } as const;
    return { target, action: actionOf(uuidAction), exitStatus: uuidExit, runId };
  }
  const [, pingKey, slug, action, exitStatus] = bySlug.exec(decoded) ?? [];
  if (pingKey === undefined || slug === undefined) return undefined;
  const create = parameters?.getAll('create').at(-1) === '1';
  return { target: { kind: 'slug', pingKey, slug, create }, action: actionOf(action), exitStatus, runId };
}

function actionOf(suffixWord: string | undefined): PingAction {
  return suffixWord === 'start' || suffixWord === 'fail' || suffixWord === 'log' ? suffixWord : 'success';
}

function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
