import type { AnyInput, Contract, Endpoint } from '@certloop/contracts/browser';

/** A method of a client, such as `api.listFqdns`. */
export type Operation = (...input: never[]) => Promise<{ readonly body: unknown }>;

export type ReplyTo<O extends Operation> = Awaited<ReturnType<O>>;
export type BodyFrom<O extends Operation> = ReplyTo<O>['body'];

/** An API of the page's own service. */
export interface ServiceApi {
  /** Address of the service, without a slash at its end. */
  readonly serviceUrl: string;
  /** Path of the API on it, such as `/api/account`; empty without one. */
  readonly basePath: string;
  /** How a program calls an operation with this path. */
  readonly programsCallBy: (path: string) => 'token' | 'cookies';
  /** Paths that replies of an operation depend on beside the path of the operation. */
  readonly dependencies: Readonly<Partial<Record<string, readonly string[]>>>;
}

/** An operation as its contract describes it. */
export interface DescribedOperation {
  readonly name: string;
  readonly shape: Endpoint;
  readonly api: ServiceApi;
}

const operations = new WeakMap<object, DescribedOperation>();
const clients = new WeakMap<object, readonly DescribedOperation[]>();

/** Remembers which operations of a contract the methods of a client call. Returns the client. */
export function describeClient<C extends object>(client: C, contract: Contract, api: ServiceApi): C {
  const described = Object.entries(contract).map(([name, shape]) => ({ name, shape, api }));
  clients.set(client, described);
  for (const operation of described) {
    const method: unknown = client[operation.name as keyof C];
    if (typeof method === 'function') operations.set(method, operation);
  }
  return client;
}

/** The operation that a method of a client calls. Rejects functions that are no such methods. */
export function describedOperation(operation: Operation): DescribedOperation {
  const found = operations.get(operation);
  if (found === undefined) throw new Error('This is not an operation of a client of the page.');
  return found;
}

/** All operations of a client. Rejects objects that are no clients of the page. */
export function operationsOf(client: object): readonly DescribedOperation[] {
  const found = clients.get(client);
  if (found === undefined) throw new Error('This client is not of a page.');
  return found;
}

/** A call of an operation, as the contract and its input describe it. */
export interface Call {
  readonly operation: DescribedOperation;
  readonly input: AnyInput;
}
