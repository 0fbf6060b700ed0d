import type { z } from 'zod';

/**
 * A schema by what all of zod's have in common. Comparing contracts with the methods of `z.ZodType`, which nothing here
 * calls, would take most of a build.
 */
export type Schema = z.core.$ZodType;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Body of a request. */
export type BodyShape =
  | {
      readonly kind: 'json';
      readonly schema: Schema;
      /** An absent body is handed on as `undefined`. */
      readonly optional?: true;
    }
  | {
      /** JSON by its documented schema, but handed on as the received bytes: the service judges it itself. */
      readonly kind: 'raw';
      readonly schema?: Schema;
    }
  | {
      /** multipart/form-data with one file part named `file` and text parts after `fields`. */
      readonly kind: 'multipart';
      readonly file: string;
      readonly fields: Schema;
    };

/** Body of a response of one status. */
export type ResponseShape =
  | { readonly kind: 'json'; readonly description: string; readonly schema: Schema }
  | { readonly kind: 'text'; readonly description: string; readonly contentType: string }
  | { readonly kind: 'bytes'; readonly description: string; readonly contentType: string }
  | {
      /** Sent piece by piece, for what is too much to be held at once. */
      readonly kind: 'stream';
      readonly description: string;
      /** The first is meant when the reply does not set Content-Type. */
      readonly contentTypes: readonly [string, ...string[]];
      /** Of the body as `application/json`, if that is one of the types. */
      readonly schema?: Schema;
    }
  | { readonly kind: 'empty'; readonly description: string };

/**
 * One operation of an API as data: what comes in, and what goes out by status. Validation, documentation
 * and clients are all derived from it.
 */
export interface Endpoint {
  readonly method: Method;
  /** Path with parameters in braces, such as `/spaces/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Has a row in one of the API documents. Its clients may send unknown query members; those of others are rejected. */
  readonly documented?: true;
  /** Needs no credential. */
  readonly public?: true;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: BodyShape;
  /** Success answers by status. */
  readonly responses: Readonly<Record<number, ResponseShape>>;
  /** Statuses of refusal, each with the API's own error body. */
  readonly failures: readonly number[];
}

/** Endpoints of one API by operation name. */
export type Contract = Readonly<Record<string, Endpoint>>;

/** Returns its argument, with its literal types. */
export function endpoint<const E extends Endpoint>(shape: E): E {
  return shape;
}

export function json<S extends Schema>(schema: S, description: string) {
  return { kind: 'json', schema, description } as const;
}

export function text(contentType: string, description: string) {
  return { kind: 'text', contentType, description } as const;
}

export function bytes(contentType: string, description: string) {
  return { kind: 'bytes', contentType, description } as const;
}

export function stream(contentTypes: readonly [string, ...string[]], description: string, schema?: Schema) {
  return { kind: 'stream', contentTypes, description, ...(schema !== undefined && { schema }) } as const;
}

export function empty(description: string) {
  return { kind: 'empty', description } as const;
}
