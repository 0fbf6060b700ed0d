import type { KeyKind } from './api-key.js';
import type { JsonObject } from './json-object.js';

/** Versions of the management API; they differ in slugs, one status and their own addresses. */
export const apiVersions = [1, 2, 3] as const;
export type ApiVersion = (typeof apiVersions)[number];

/** Who calls the management API: the holder of a key of one project. */
export interface Caller {
  readonly projectId: string;
  readonly ownerId: string;
  readonly kind: KeyKind;
  readonly version: ApiVersion;
  /** Members of the body; none when the request has no body or its body does not count. */
  readonly body: JsonObject;
}

/** Code of the refusal when a unique key names nothing: browsers of other origins may read that one. */
export const unknownUniqueKey = 'unknown_unique_key';
