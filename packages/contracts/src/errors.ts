/** Kinds of refusal and the one HTTP status of each; a kind without a status does not compile. */
export const statusByKind = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  header_fields_too_large: 431,
  internal: 500,
  upstream_failed: 502,
  unavailable: 503,
  upstream_timeout: 504,
} as const;

export type ErrorKind = keyof typeof statusByKind;

/** One fault of an input: `path` in dotted form such as `csr.dnsNames[0]`, or `body` for the whole. */
export interface FieldFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Repair of a fault: lines to copy, and a sentence. */
export interface Fix {
  /** A command line of OpenSSL for a POSIX shell. */
  readonly openssl?: string | undefined;
  /** An INF file for certreq of Windows. */
  readonly certreq?: string | undefined;
  readonly text?: string | undefined;
}

export interface RefusalDetails {
  /** Stable machine key such as `csr_name_mismatch`; the kind when absent. */
  readonly code?: string;
  /** Short sentence that is the same for every occurrence of the code. */
  readonly title?: string;
  readonly fields?: readonly FieldFault[];
  /** Response headers that belong to the refusal, such as Allow or Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Repair of the input. */
  readonly fix?: Fix | undefined;
  readonly cause?: unknown;
}

/**
 * A refusal that a caller may read: it names the thing and the reason, never SQL, keys or another's data.
 * Anything thrown that is not an AppError is a fault and answered as 500 without its text.
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly title: string | undefined;
  readonly fields: readonly FieldFault[];
  readonly headers: Readonly<Record<string, string>>;
  readonly fix: Fix | undefined;

  constructor(kind: ErrorKind, message: string, details: RefusalDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.kind = kind;
    this.code = details.code ?? kind;
    this.title = details.title;
    this.fields = details.fields ?? [];
    this.headers = details.headers ?? {};
    this.fix = details.fix;
  }

  /** HTTP status of the kind. */
  get status(): number {
    return statusByKind[this.kind];
  }
}

export class InvalidInput extends AppError {
  constructor(message: string, details?: RefusalDetails) {
    super('invalid_input', message, details);
  }
}

export class Unauthenticated extends AppError {
  constructor(message: string, details?: RefusalDetails) {
    super('unauthenticated', message, details);
  }
}

export class Forbidden extends AppError {
  constructor(message: string, details?: RefusalDetails) {
    super('forbidden', message, details);
  }
}

export class NotFound extends AppError {
  constructor(message: string, details?: RefusalDetails) {
    super('not_found', message, details);
  }
}

/** `allow` lists the methods that the path has, as the header Allow does. */
export class MethodNotAllowed extends AppError {
  constructor(method: string | undefined, allow: string) {
    super('method_not_allowed', `${method} is not allowed here`, { headers: { Allow: allow } });
  }
}

/** The reason and after how many seconds, at least one, the caller may try again. */
export class TooManyRequests extends AppError {
  constructor(reason: string, waitSeconds: number, details?: RefusalDetails) {
    const seconds = Math.max(1, Math.ceil(waitSeconds));
    const headers = { 'Retry-After': String(seconds) };
    super('too_many_requests', `${reason}; try again in ${seconds} s`, { ...details, headers });
  }
}

export class Conflict extends AppError {
  constructor(message: string, details?: RefusalDetails) {
    super('conflict', message, details);
  }
}

/** Another service refused, answered nonsense (502) or did not answer in time (504, `timedOut`). */
export class UpstreamFailed extends AppError {
  constructor(message: string, details?: RefusalDetails & { readonly timedOut?: boolean }) {
    super(details?.timedOut === true ? 'upstream_timeout' : 'upstream_failed', message, details);
  }
}

/**
 * The database is not as the code relies on it: what a transaction stored is uncertain. A caller gets 500; where none
 * waits for it, the process ends.
 */
export class InvariantFailed extends Error {
  override readonly name = 'InvariantFailed';
}

const retryAfterSeconds = 5;

/**
 * A dependency of the service, such as its database, cannot be used for now. The message is for operators; callers get
 * `refusal`.
 */
export class Unavailable extends Error {
  /** Returns the response in its place: 503 with Retry-After, and no word of the reason. */
  refusal(): AppError {
    return new AppError('unavailable', `the database is not available; try again in ${retryAfterSeconds} s`, {
      code: 'database_unavailable',
      title: 'Database not available',
      headers: { 'Retry-After': String(retryAfterSeconds) },
      cause: this,
    });
  }
}
