import {
  AppError,
  type ErrorKind,
  type FieldFault,
  type Fix,
  statusByKind,
} from '@certloop/contracts/browser';
import { wholeSentence } from '../times.js';

/** A refusal of a service, with what a page shows of it beside its sentence. */
export class Refusal extends AppError {
  /** HTTP status as it was answered. */
  readonly answered: number;
  /** For the operator, who finds the request in the log by it. */
  readonly requestId: string | undefined;
  /** Seconds after which trying again is useful. */
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, message: string, parts: RefusalParts) {
    super(kind, message, {
      fields: parts.fields,
      fix: parts.fix,
      ...(parts.code === undefined ? {} : { code: parts.code }),
    });
    this.answered = parts.answered;
    this.requestId = parts.requestId;
    this.retryAfterSeconds = parts.retryAfterSeconds;
  }
}

interface RefusalParts {
  readonly fix?: Fix | undefined;
  readonly answered: number;
  readonly code: string | undefined;
  readonly fields: readonly FieldFault[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

const kindByStatus: ReadonlyMap<number, ErrorKind> = new Map(
  Object.entries(statusByKind).map(([kind, status]) => [status, kind as ErrorKind]),
);

/**
 * The refusal that an answer means: a problem document (RFC 9457), or `{ "error": … }` of the monitor, or a text of
 * whatever stands before the service. Its sentence is never empty.
 */
export function refusalFrom(
  status: number,
  headers: { get(name: string): string | null },
  text: string,
): Refusal {
  const problem = objectIn(text);
  const { detail, message, error, code, errors, fix, requestId } = problem ?? {};
  const said = [detail, message, error].find((one) => typeof one === 'string' && one !== '');
  return new Refusal(
    kindByStatus.get(status) ?? (status >= 500 ? 'upstream_failed' : 'invalid_input'),
    typeof said === 'string' ? said : `The service answered with status ${status}.`,
    {
      answered: status,
      code: typeof code === 'string' ? code : undefined,
      fix: typeof fix === 'object' && fix !== null ? fixIn(fix) : undefined,
      fields: Array.isArray(errors) ? errors.filter(isFault) : [],
      requestId: typeof requestId === 'string' ? requestId : (headers.get('x-request-id') ?? undefined),
      retryAfterSeconds: secondsIn(headers.get('retry-after')),
    },
  );
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isFault(value: unknown): value is FieldFault {
  const { path, message } = (value ?? {}) as Record<string, unknown>;
  return typeof path === 'string' && typeof message === 'string';
}

/** Seconds of Retry-After; its other form, a date, is not sent by the services. */
function secondsIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

/** Returns what went wrong in one sentence, also where there was no answer at all. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) {
    const granter = granterOf(error);
    return granter === undefined ? error.message : `${wholeSentence(error.message)} ${granter}`;
  }
  if (error instanceof AppError)
    return 'The service does not answer. It may be restarting, or the network is down. Try again in a moment.';
  return error instanceof Error ? error.message : String(error);
}

const byGroup = 'An administrator can give you this level by a group.';
const granters: Readonly<Record<string, string>> = {
  admin_required: 'An administrator can make you an administrator.',
  insufficient_level: byGroup,
  full_access_required: byGroup,
  session_required: 'Every user may do this after signing in.',
  token_required: 'Every user may create an API token on the page of their account.',
  token_read_only: 'The user of the token may create one with the scope READ_WRITE.',
  not_own_account: 'An administrator can do this for you.',
};

/** The members of a fix that are texts. */
function fixIn(fix: object): Fix {
  const { openssl, certreq, text } = fix as Readonly<Record<string, unknown>>;
  const ofText = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { openssl: ofText(openssl), certreq: ofText(certreq), text: ofText(text) };
}

/** Returns what repairs the input that was refused; undefined if the service does not say it. */
export function fixOf(error: unknown): Fix | undefined {
  return error instanceof Refusal ? error.fix : undefined;
}

/** Who can give the right that a refusal asks for; undefined where it is not about a right. */
function granterOf({ answered, code, message }: Refusal): string | undefined {
  if (answered !== 403) return undefined;
  const isRole = /^this needs the role /.test(message);
  return isRole ? 'The owner of the project can change your role.' : granters[code];
}

/** HTTP status of a refusal; undefined where there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Refusal ? error.answered : undefined;
}

/** Whether asking again without a change may help: no answer, too many requests, or a fault of the server. */
export function isTemporary(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

/**
 * Faults with their fields. The monitor names the field at the beginning of its sentence: `settings.url: …`, and in the
 * words of Healthchecks `json validation error: slug …`.
 */
function faultsIn({ fields, message }: Refusal): readonly Pick<FieldFault, 'path' | 'message'>[] {
  if (fields.length > 0) return fields;
  const [, field, rest] = /^json validation error: (\w+) (.+)$/s.exec(message) ?? [];
  if (field !== undefined) return [{ path: field, message: `It ${rest}` }];
  const [, path, text] = /^([\w.]+): (.+)$/s.exec(message) ?? [];
  return path === undefined || text === undefined ? [] : [{ path, message: text }];
}

/** Sentence for each field of a form that the service found fault with, and for the form as a whole. */
export function faultsOf(
  error: unknown,
  fields: readonly string[],
): { readonly byField: Readonly<Record<string, string>>; readonly general: string | undefined } {
  if (error === null || error === undefined) return { byField: {}, general: undefined };
  const byField: Record<string, string> = {};
  const others: string[] = [];
  for (const { path, message } of error instanceof Refusal ? faultsIn(error) : []) {
    const isWithin = (one: string) => path.startsWith(`${one}.`) || path.startsWith(`${one}[`);
    const field = fields.find((one) => one === path) ?? fields.find(isWithin);
    if (field !== undefined) byField[field] ??= wholeSentence(message);
    else others.push(wholeSentence(`${path}: ${message}`));
  }
  if (Object.keys(byField).length === 0) return { byField, general: wholeSentence(sentenceOf(error)) };
  return { byField, general: others.length === 0 ? undefined : others.join(' ') };
}
