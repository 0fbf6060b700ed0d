import { type Contract, checkMonitorContract } from '@certloop/contracts';

const uuid = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}';
const uniqueKey = '[A-z0-9]{40}';
const number = '[0-9]+';

// What a unique key may name: only what its holder may read.
const namedByUniqueKey: ReadonlySet<string> = new Set(['getCheck', 'listFlips']);

interface PathRule {
  readonly pattern: RegExp;
  readonly method: string;
}

const rules: readonly PathRule[] = Object.entries(checkMonitorContract as Contract).map(
  ([operation, { path, method }]) => ({ pattern: patternOf(operation, path), method }),
);

/**
 * Methods that a path of the management API has, relative to its base; empty when nothing can exist there. A
 * trailing slash does not matter, nor the case of a uuid.
 */
export function methodsAt(path: string): string[] {
  return [...new Set(rules.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}

function patternOf(operation: string, path: string): RegExp {
  const id = namedByUniqueKey.has(operation) ? `(?:${uuid}|${uniqueKey})` : uuid;
  const source = path.replace(/\/$/, '').replace('{id}', id).replace('{n}', number);
  return new RegExp(`^${source}/?$`);
}
