import {
  type Contract,
  type Endpoint,
  type GivenReply,
  type Handlers,
  MethodNotAllowed,
  NotFound,
  type ResponseShape,
} from '@certloop/contracts';
import { type NextFunction, type Request, type Response, Router, raw } from 'express';
import { z } from 'zod';
import { inOwnTurn } from '../concurrency/own-turn.js';
import { noteRoute } from '../observability/logger.js';
import { answerInTime } from './answer-in-time.js';
import { CallerGone, signalOf } from './caller-gone.js';
import { onBrokenBody } from './connections/broken-request.js';
import { parseInput, requireKnownMembers } from './input-faults.js';
import { parseJsonBody } from './json-body.js';
import { maxPublicValues } from './json-size.js';
import { sendReply } from './replies.js';
import { receiveUpload } from './upload.js';

/** A request before its parts are judged. */
export interface Arrival<C extends Contract> {
  readonly operation: keyof C & string;
  readonly endpoint: Endpoint;
  /** Path parameters as sent. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
  readonly response: Response;
}

export interface BindOptions<C extends Contract, Context, Pending extends keyof C & string> {
  /** Who calls; runs before anything of the request is judged, and may refuse it. */
  readonly context: (arrival: Arrival<C>) => Promise<Context> | Context;
  /** Endpoints of the contract that have no handler yet; they answer 404. */
  readonly pending?: readonly Pending[];
  /** Largest JSON or raw body in octets; one of an operation that needs no credential has at most 16 KiB. */
  readonly bodyBytes: number;
  /** Largest uploaded file in octets by operation. */
  readonly fileBytes?: Readonly<Partial<Record<keyof C & string, number>>>;
  /**
   * Operations whose JSON is compressed if the caller accepts it; none when absent. Never one whose response holds both
   * a secret and text of strangers: its length would reveal the secret letter by letter (BREACH).
   */
  readonly compressed?: ReadonlySet<keyof C & string>;
  /** Milliseconds until an operation must have an answer, or the beginning of one; no limit when absent. */
  readonly answerMs?: (operation: keyof C & string) => number;
}

/** Octets of the largest body whose sender may be anyone. */
const maxPublicBytes = 16_384;

/**
 * Router that serves a contract: identifies the caller, parses parameters, query and body by the contract
 * (in that order), calls the handler and sends its reply. A path parameter that cannot name anything is
 * NotFound; a wrong query or body is InvalidInput, and so is an unknown member of the query, unless the endpoint is
 * documented; a method that a path does not have is refused with 405
 * and Allow. HEAD answers like GET; a trailing slash is ignored.
 */
export function bind<C extends Contract, Context, Pending extends keyof C & string = never>(
  contract: C,
  handlers: Handlers<Omit<C, Pending>, Context>,
  options: BindOptions<C, Context, Pending>,
): Router {
  const router = Router({ caseSensitive: true, mergeParams: true });
  for (const [path, operations] of operationsByPath(contract, new Set<string>(options.pending))) {
    const route = router.route(expressPath(path));
    for (const operation of operations) {
      const shape = contract[operation] as Endpoint;
      const handler = (handlers as unknown as Record<string, AnyHandler>)[operation] as AnyHandler;
      const serve = serveWith(operation, shape, handler, options as unknown as AnyOptions);
      route[methodOf(shape)](serve);
    }
    const methods = operations.map((operation) => (contract[operation] as Endpoint).method);
    route.all(allowOnly(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))));
  }
  return router;
}

type AnyHandler = (call: object) => Promise<GivenReply<Endpoint>>;
type AnyOptions = BindOptions<Contract, unknown, string>;

/** Operation names by path, literal paths before those with parameters in the same place. */
function operationsByPath(contract: Contract, pending: ReadonlySet<string>): [string, string[]][] {
  const byPath = new Map<string, string[]>();
  for (const [operation, { path }] of Object.entries(contract)) {
    if (!pending.has(operation)) byPath.set(path, [...(byPath.get(path) ?? []), operation]);
  }
  return [...byPath].sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1));
}

function rank(path: string): string {
  // The tilde stands after every letter and digit in ASCII.
  return path.replace(/\{\w+\}/g, '~');
}

function expressPath(path: string): string {
  const pattern = path.replace(/\{(\w+)\}/g, ':$1');
  return pattern.length > 1 ? pattern.replace(/\/$/, '') : pattern;
}

function methodOf(shape: Endpoint): 'get' | 'post' | 'put' | 'delete' {
  return shape.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
}

function serveWith(operation: string, shape: Endpoint, handler: AnyHandler, options: AnyOptions) {
  const known = queryMembers(shape.query);
  return async (request: Request, response: Response): Promise<void> => {
    noteRoute(response, shape.path);
    const params = request.params as Record<string, string>;
    const answer = async () => {
      const context = await options.context({ operation, endpoint: shape, params, request, response });
      return handler({
        params: shape.params === undefined ? {} : pathParams(shape, params),
        query: queryOf(shape, known, request.query),
        body: await bodyOf(operation, shape, request, response, options),
        context,
        // made where it is asked for, which few do
        get signal() {
          return signalOf(response);
        },
      });
    };
    try {
      const reply = await answerInTime(answer(), options.answerMs?.(operation));
      const isCompressed = options.compressed?.has(operation) === true;
      await sendReply(response, reply, {
        shape: shape.responses[reply.status] as ResponseShape,
        isCompressed,
      });
    } catch (error) {
      if (!(error instanceof CallerGone)) throw error;
    }
  };
}

/** Members of a query by its schema, which is one of an object. */
function queryMembers(query: Endpoint['query']): readonly string[] {
  return query === undefined ? [] : Object.keys((query as z.ZodObject).shape);
}

function queryOf(shape: Endpoint, known: readonly string[], query: Request['query']): unknown {
  if (shape.documented !== true) requireKnownMembers(query, known, 'query');
  return shape.query === undefined ? {} : parseInput(shape.query, { ...query }, 'query');
}

function pathParams(shape: Endpoint, params: Readonly<Record<string, string>>): unknown {
  const result = shape.params && z.safeParse(shape.params, params);
  if (result?.success !== true) throw new NotFound('nothing exists at this path');
  return result.data;
}

async function bodyOf(
  operation: string,
  shape: Endpoint,
  request: Request,
  response: Response,
  options: AnyOptions,
): Promise<unknown> {
  const { body } = shape;
  if (body === undefined) return undefined;
  const isPublic = shape.public === true;
  const bodyBytes = isPublic ? Math.min(options.bodyBytes, maxPublicBytes) : options.bodyBytes;
  if (body.kind === 'multipart') {
    const fileBytes = options.fileBytes?.[operation] ?? bodyBytes;
    const { file, fields } = await receiveUpload(request, response, body.file, { fileBytes });
    return { file, fields: parseInput(body.fields, fields, 'body') };
  }
  const bytes = await receiveBytes(request, response, bodyBytes);
  if (body.kind === 'raw') return bytes;
  const maxValues = isPublic ? maxPublicValues : undefined;
  const value = parseJsonBody(bytes, request.get('content-type'), maxValues);
  if (value === undefined && body.optional === true) return undefined;
  return parseInput(body.schema, value, 'body');
}

/**
 * Bytes of the body, whatever their type, large ones in a turn of their own; none gives an empty array. Rejects with
 * BrokenRequest if it breaks off.
 */
export async function receiveBytes(request: Request, response: Response, limit: number): Promise<Uint8Array> {
  // A compressed body could be far larger than it arrives: it is refused with 415.
  const middleware = raw({ type: () => true, limit, inflate: false });
  await new Promise<void>((resolve, reject) => {
    // the middleware would wait for the end of the connection, or take a body that broke off earlier for none
    onBrokenBody(request, reject);
    middleware(request, response, (error: unknown) => (error == null ? resolve() : reject(error)));
  });
  return Buffer.isBuffer(request.body) ? inOwnTurn(request.body) : new Uint8Array();
}

/** Last handler of a path that has no other methods than these. */
export function allowOnly(methods: readonly string[]) {
  const allow = [...new Set(methods)].join(', ');
  return ({ method }: Request, _response: Response, next: NextFunction): void => {
    next(new MethodNotAllowed(method, allow));
  };
}

/** Last handler of an app: nothing exists at the path. */
export function refuseUnknownPath(_request: Request, _response: Response, next: NextFunction): void {
  next(new NotFound('nothing exists at this path'));
}
