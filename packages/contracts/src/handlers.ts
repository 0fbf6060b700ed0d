import type { z } from 'zod';
import type { BodyShape, Contract, Endpoint, Schema } from './endpoint.js';

/** A file of a multipart request, in memory. */
export interface UploadedFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

type None = Readonly<Record<never, never>>;

export type ParamsOf<E> = E extends { readonly params: infer P extends Schema } ? z.output<P> : None;
export type QueryOf<E> = E extends { readonly query: infer Q extends Schema } ? z.output<Q> : None;

/** Body as a handler receives it. */
export type BodyOf<E> = E extends { readonly body: infer B extends BodyShape }
  ? B extends { readonly kind: 'json'; readonly schema: infer S extends Schema }
    ? B extends { readonly optional: true }
      ? z.output<S> | undefined
      : z.output<S>
    : B extends { readonly kind: 'multipart'; readonly fields: infer F extends Schema }
      ? { readonly file: UploadedFile; readonly fields: z.output<F> }
      : Uint8Array
  : undefined;

type PayloadOf<R> = R extends { readonly kind: 'json'; readonly schema: infer S extends Schema }
  ? z.output<S>
  : R extends { readonly kind: 'text' }
    ? string
    : R extends { readonly kind: 'bytes' }
      ? Uint8Array
      : R extends { readonly kind: 'stream' }
        ? AsyncIterable<string | Uint8Array>
        : undefined;

type HeaderFields = Readonly<Record<string, string>>;

/** A field may be sent several times, as Set-Cookie must be for several cookies (RFC 6265 §3). */
type GivenHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Every success answer of an endpoint, as a union over its statuses. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E['responses'] & number]: {
    readonly status: S;
    readonly body: PayloadOf<E['responses'][S]>;
    readonly headers?: HeaderFields;
  };
}[keyof E['responses'] & number];

/** Input of a handler: the parsed request and the caller's context. */
export interface Call<E extends Endpoint, Context> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly context: Context;
  /** Aborted once the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Where a client gets a list, a handler may give whatever makes its members one after the other. */
type Given<Body> = Body extends readonly (infer Member)[] ? Iterable<Member> : Body;

/** Response of a handler, whose lists need not be arrays. */
export type GivenReply<E extends Endpoint> =
  ReplyOf<E> extends infer Reply
    ? Reply extends { readonly body: infer Body }
      ? Omit<Reply, 'body' | 'headers'> & { readonly body: Given<Body>; readonly headers?: GivenHeaders }
      : never
    : never;

export type Handler<E extends Endpoint, Context> = (call: Call<E, Context>) => Promise<GivenReply<E>>;

/**
 * One handler for each endpoint of a contract; a missing one does not compile. Nothing is inferred from it: a
 * contract guessed from its handlers would widen their statuses to number.
 */
export type Handlers<C extends Contract, Context> = NoInfer<{
  readonly [K in keyof C]: Handler<C[K], Context>;
}>;
