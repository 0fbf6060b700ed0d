import type { BodyShape, Contract, Endpoint, ResponseShape } from '../endpoint.js';

/**
 * The contract without its schemas, as plain JSON: method, path, kinds of bodies and statuses, which is all that
 * `createClient` reads. It has the type of the contract, so that its client has the same types; no one else may take
 * it for one.
 */
export function outlineOf<C extends Contract>(contract: C): C {
  const endpoints = Object.entries(contract).map(([name, shape]) => [name, outlineOfEndpoint(shape)]);
  return Object.fromEntries(endpoints) as C;
}

function outlineOfEndpoint({ method, path, body, responses }: Endpoint) {
  const answers = Object.entries(responses).map(([status, { kind }]: [string, ResponseShape]) => [
    status,
    { kind },
  ]);
  return {
    method,
    path,
    ...(body === undefined ? {} : { body: outlineOfBody(body) }),
    responses: Object.fromEntries(answers),
  };
}

function outlineOfBody(body: BodyShape) {
  return body.kind === 'multipart' ? { kind: body.kind, file: body.file } : { kind: body.kind };
}
