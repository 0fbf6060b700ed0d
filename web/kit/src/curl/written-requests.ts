// Requests of a page that are written down and not sent.

import { type AnyInput, requestOf } from '@certloop/contracts/browser';
import { type Call, type DescribedOperation, operationsOf } from '../operations/operations.js';
import type { QueryFacts } from '../operations/query-options.js';
import type { FormPart, WrittenRequest } from './curl-command.js';

/** The request of a call, by the contract of its operation and its input. */
export function writtenRequest({ operation: { shape, api }, input }: Call): WrittenRequest {
  const { method, url, body } = requestOf(shape, input, `${api.serviceUrl}${api.basePath}`);
  const request = { method, url, by: api.programsCallBy(new URL(url).pathname) };
  if (body instanceof FormData) return { ...request, body: [...body].map(partOf) };
  return typeof body === 'string' ? { ...request, body } : request;
}

const forever = new Promise<never>(() => undefined);

/** The first request of a call, which is not sent. Rejects with what the call throws before it. */
export function captureRequest<C extends object>(
  client: C,
  call: (to: C) => Promise<unknown>,
): Promise<WrittenRequest> {
  return new Promise((resolve, reject) => {
    const methodOf = (operation: DescribedOperation) => [
      operation.name,
      async (input: AnyInput = {}) => {
        resolve(writtenRequest({ operation, input }));
        return forever;
      },
    ];
    const recorder = Object.fromEntries(operationsOf(client).map(methodOf)) as C;
    call(recorder).then(() => reject(new Error('This sends no request.')), reject);
  });
}

/** The requests by which the page has loaded what it shows, in the order in which it began to; those of its frame omitted. */
export function requestsOfPage(
  shown: readonly { readonly meta: QueryFacts | undefined }[],
): readonly WrittenRequest[] {
  const requests = shown.flatMap(({ meta }) =>
    meta?.call === undefined || meta.isOfFrame === true ? [] : [writtenRequest(meta.call)],
  );
  return requests.filter(({ url }, place) => requests.findIndex((one) => one.url === url) === place);
}

function partOf([name, value]: readonly [string, FormDataEntryValue]): FormPart {
  const isFile = typeof value !== 'string';
  return { name, value: isFile ? value.name : value, isFile };
}
