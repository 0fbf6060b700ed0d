import { z } from 'zod';
import { AppError, type ErrorKind, type RefusalDetails } from '../errors.js';
import { acmeIdentifierSchema } from './identifiers.js';

/** Namespace of the types of ACME problems (RFC 8555 §6.7). */
export const acmeErrorNamespace = 'urn:ietf:params:acme:error:';

/**
 * Kind of refusal, and so the HTTP status, that each ACME problem has unless its section names another:
 * RFC 8555 §6.7, RFC 9773 §7.4 (`alreadyReplaced`), draft-ietf-acme-profiles (`invalidProfile`).
 */
export const acmeProblemKinds = {
  accountDoesNotExist: 'invalid_input',
  alreadyReplaced: 'conflict',
  alreadyRevoked: 'invalid_input',
  badCSR: 'invalid_input',
  badNonce: 'invalid_input',
  badPublicKey: 'invalid_input',
  badRevocationReason: 'invalid_input',
  badSignatureAlgorithm: 'invalid_input',
  caa: 'forbidden',
  compound: 'invalid_input',
  connection: 'invalid_input',
  dns: 'invalid_input',
  externalAccountRequired: 'forbidden',
  incorrectResponse: 'forbidden',
  invalidContact: 'invalid_input',
  invalidProfile: 'invalid_input',
  malformed: 'invalid_input',
  orderNotReady: 'forbidden',
  rateLimited: 'too_many_requests',
  rejectedIdentifier: 'invalid_input',
  serverInternal: 'internal',
  tls: 'invalid_input',
  unauthorized: 'forbidden',
  unsupportedContact: 'invalid_input',
  unsupportedIdentifier: 'invalid_input',
  userActionRequired: 'forbidden',
} as const satisfies Readonly<Record<string, ErrorKind>>;

export type AcmeProblemType = keyof typeof acmeProblemKinds;

/** One of several reasons in a problem, with the identifier that it is about (RFC 8555 §6.7.1). */
export const acmeSubproblemSchema = z
  .object({ type: z.string(), detail: z.string().optional(), identifier: acmeIdentifierSchema.optional() })
  .meta({ id: 'AcmeSubproblem' });
export type AcmeSubproblem = z.output<typeof acmeSubproblemSchema>;

/** Problem document (RFC 7807) as ACME extends it; `algorithms` with `badSignatureAlgorithm` (RFC 8555 §6.2). */
export const acmeProblemSchema = z
  .looseObject({
    type: z.string().default('about:blank'),
    detail: z.string().optional(),
    status: z.int().optional(),
    instance: z.string().optional(),
    subproblems: z.array(acmeSubproblemSchema).optional(),
    algorithms: z.array(z.string()).optional(),
  })
  .meta({ id: 'AcmeProblem' });
export type AcmeProblemDocument = z.output<typeof acmeProblemSchema>;

export interface AcmeProblemDetails extends RefusalDetails {
  /** Where a section of the RFC names another status than the table. */
  readonly kind?: ErrorKind;
  readonly subproblems?: readonly AcmeSubproblem[];
  /** Further members of the document. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A refusal in ACME's words; its code is the type without the namespace. */
export class AcmeProblem extends AppError {
  readonly type: AcmeProblemType;
  readonly subproblems: readonly AcmeSubproblem[];
  readonly members: Readonly<Record<string, unknown>>;

  constructor(type: AcmeProblemType, message: string, details: AcmeProblemDetails = {}) {
    super(details.kind ?? acmeProblemKinds[type], message, { ...details, code: type });
    this.type = type;
    this.subproblems = details.subproblems ?? [];
    this.members = details.members ?? {};
  }
}

const typeByKind: Readonly<Partial<Record<ErrorKind, AcmeProblemType>>> = {
  unauthenticated: 'unauthorized',
  forbidden: 'unauthorized',
  too_many_requests: 'rateLimited',
  internal: 'serverInternal',
  unavailable: 'serverInternal',
  upstream_failed: 'serverInternal',
  upstream_timeout: 'serverInternal',
};

/** Document of a refusal; one that is not an ACME problem gets the type that is nearest to its kind. */
export function acmeProblemDocument(refusal: AppError): AcmeProblemDocument {
  const type = refusal instanceof AcmeProblem ? refusal.type : (typeByKind[refusal.kind] ?? 'malformed');
  const document = { type: `${acmeErrorNamespace}${type}`, detail: refusal.message, status: refusal.status };
  if (!(refusal instanceof AcmeProblem)) return document;
  const { subproblems, members } = refusal;
  return { ...document, ...members, ...(subproblems.length > 0 && { subproblems: [...subproblems] }) };
}

/** Type of a document without the namespace; undefined for one that is not ACME's. */
export function acmeProblemType(document: Pick<AcmeProblemDocument, 'type'>): string | undefined {
  const { type } = document;
  return type.startsWith(acmeErrorNamespace) ? type.slice(acmeErrorNamespace.length) : undefined;
}
