import {
  AcmeProblem,
  type AcmeProblemDocument,
  type AcmeProblemType,
  type AcmeSubproblem,
  acmeErrorNamespace,
  acmeProblemKinds,
  acmeProblemSchema,
  acmeProblemType,
} from '@certloop/contracts';

/** An answer that is a refusal. */
export interface RefusedAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/**
 * Problem of an answer (RFC 8555 §6.7), with the moment that its Retry-After header named; one that is not a problem
 * document is described by its status.
 */
export function readProblem({ status, text, retryAfter }: RefusedAnswer, retryAt?: Date): AcmeProblem {
  const document = parseDocument(text) ?? { type: 'about:blank', detail: `the CA answered with ${status}` };
  const problem = problemOf(document, status);
  if (retryAfter === null) return problem;
  const { type, message, subproblems } = problem;
  const members = { ...problem.members, ...(retryAt !== undefined && { retryAt }) };
  return new AcmeProblem(type, message, { subproblems, members, headers: { 'Retry-After': retryAfter } });
}

/** The moment before which the CA does not want to be asked again; undefined when it named none. */
export function retryAtOf(error: unknown): Date | undefined {
  const given = error instanceof AcmeProblem ? error.members['retryAt'] : undefined;
  return given instanceof Date ? given : undefined;
}

/** Problem of a document, such as the `error` of an order or a challenge. */
export function problemOf(document: AcmeProblemDocument, status = document.status ?? 400): AcmeProblem {
  const name = acmeProblemType(document);
  const type = isKnown(name) ? name : typeOfStatus(status);
  const subproblems = document.subproblems ?? [];
  const detail = document.detail ?? name ?? `the CA answered with ${status}`;
  const members = { caProblemType: document.type, caStatus: status };
  return new AcmeProblem(type, [detail, ...subproblems.map(sentenceOf)].join('; '), { subproblems, members });
}

/** The type as the CA spells it. */
export function caProblemType(problem: AcmeProblem): string {
  const given = problem.members['caProblemType'];
  return typeof given === 'string' ? given : `${acmeErrorNamespace}${problem.type}`;
}

/** Whether the CA does not know what it was asked for. */
export function isForgotten(problem: AcmeProblem): boolean {
  const status = problem.members['caStatus'];
  return status === 404 || status === 410 || problem.type === 'accountDoesNotExist';
}

/** Whether the CA only could not, or would not, do it now. */
export function isForNow({ type }: AcmeProblem): boolean {
  return type === 'serverInternal' || type === 'rateLimited';
}

/** Whether the CA refused by name, and not only for now: a page of a gateway says nothing of the CA's mind. */
export function isRefusal(problem: AcmeProblem): boolean {
  return isTyped(problem) && !isForNow(problem);
}

// Asking again changes nothing until a CSR, a DNS zone, a web server or a contract with the CA has changed.
const permanentTypes: ReadonlySet<AcmeProblemType> = new Set([
  'badCSR',
  'badPublicKey',
  'badSignatureAlgorithm',
  'caa',
  'externalAccountRequired',
  'invalidContact',
  'invalidProfile',
  'rejectedIdentifier',
  'unauthorized',
  'unsupportedContact',
  'unsupportedIdentifier',
  'userActionRequired',
]);

/**
 * Whether further tries change nothing until an owner acts. Only a problem that the CA names by an ACME type is: a page
 * of a gateway with 403 says nothing about the order.
 */
export function isPermanent(problem: AcmeProblem): boolean {
  const { type, subproblems } = problem;
  if (!isTyped(problem)) return false;
  if (permanentTypes.has(type)) return true;
  const names = subproblems.map((subproblem) => acmeProblemType(subproblem));
  return (
    type === 'compound' &&
    names.length > 0 &&
    names.every((name) => isKnown(name) && permanentTypes.has(name))
  );
}

function isTyped(problem: AcmeProblem): boolean {
  return isKnown(acmeProblemType({ type: caProblemType(problem) }));
}

// RFC 8555 §6.7: what a CA finds when it validates a name
const validationTypes: ReadonlySet<AcmeProblemType> = new Set([
  'caa',
  'connection',
  'dns',
  'incorrectResponse',
  'tls',
  // so public CAs report an answer that is wrong or missing
  'unauthorized',
]);

/** Whether the CA could not validate a name. */
export function isValidation(problem: AcmeProblem): boolean {
  const { type, subproblems } = problem;
  if (!isTyped(problem)) return false;
  const types = type === 'compound' ? subproblems.map((each) => acmeProblemType(each)) : [type];
  return types.some((name) => isKnown(name) && validationTypes.has(name));
}

function parseDocument(text: string): AcmeProblemDocument | undefined {
  try {
    return acmeProblemSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isKnown(name: string | undefined): name is AcmeProblemType {
  return name !== undefined && Object.hasOwn(acmeProblemKinds, name);
}

function typeOfStatus(status: number): AcmeProblemType {
  if (status === 429) return 'rateLimited';
  if (status >= 500) return 'serverInternal';
  return status === 401 || status === 403 ? 'unauthorized' : 'malformed';
}

function sentenceOf({ type, detail, identifier }: AcmeSubproblem): string {
  const reason = detail ?? type;
  return identifier === undefined ? reason : `${identifier.value}: ${reason}`;
}
