import type { Step } from './raw-responses.js';

/** A path of a service, and a valid request for it. */
export interface Place {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of the response to the valid request. */
  readonly status: number;
  /** Other statuses that are right if the body is missing, cut off or another one; 400 always is. */
  readonly orStatus?: number;
}

/**
 * `own` is the status of the place. `own or 400`: it may not need the body, or the body may be no valid one for it.
 * `perhaps`: none, or a 4xx if the responses before it were complete already.
 */
type Expected = 'own' | 'own or 400' | 'perhaps' | number;

/** Bytes that a client sends, and what each response must be, in the order of the requests. */
export interface BrokenSequence {
  readonly name: string;
  readonly steps: (place: Place) => readonly Step[];
  readonly expected: readonly Expected[];
}

const long = 'x'.repeat(65_536);

/** The request line and the fields; without the length of the body. */
function head({ method, path, headers = {} }: Place, fields: readonly string[], version = '1.1'): string {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/${version}`, 'Host: localhost', ...own, ...fields, '', ''].join('\r\n');
}

/** A valid request. */
export function requestOf(place: Place, ...fields: readonly string[]): string {
  const { body = '', method } = place;
  const hasBody = method === 'POST' || body !== '';
  return head(place, [...fields, ...(hasBody ? [`Content-Length: ${body.length}`] : [])]) + body;
}

const closing = (place: Place) => requestOf(place, 'Connection: close');
const sized = (place: Place, length: number) => head(place, [`Content-Length: ${length}`]);
const chunked = (place: Place, body: string) => head(place, ['Transfer-Encoding: chunked']) + body;

/** Requests that are broken, or followed by something broken. */
export const brokenSequences: readonly BrokenSequence[] = [
  {
    name: 'garbage after a valid request',
    steps: (place) => [`${requestOf(place)}nonsense\r\n\r\n`],
    expected: ['own', 'perhaps'],
  },
  {
    name: 'garbage later, while the request is under way or after it',
    steps: (place) => [requestOf(place), 'nonsense\r\n\r\n', long],
    expected: ['own', 'perhaps'],
  },
  {
    name: 'garbage alone',
    steps: () => ['nonsense\r\n\r\n', long],
    expected: [400],
  },
  {
    name: 'a body longer than its length',
    steps: (place) => [`${sized(place, place.body?.length ?? 0)}${place.body ?? ''}and more`],
    expected: ['own', 'perhaps'],
  },
  {
    name: 'a length in characters instead of bytes',
    steps: (place) => [`${sized(place, 4)}caf\u00c3\u00a9`],
    expected: ['own or 400', 'perhaps'],
  },
  {
    name: 'a body shorter than its length, then the end',
    steps: (place) => [`${sized(place, 1_000)}abc`, 'end'],
    expected: ['own or 400'],
  },
  {
    name: 'HTTP/1.0 with a body and without a length',
    steps: (place) => [`${head(place, [], '1.0')}${place.body ?? 'abc'}`],
    expected: ['own or 400'],
  },
  {
    name: 'Transfer-Encoding with Content-Length',
    steps: (place) => [
      head(place, ['Transfer-Encoding: chunked', 'Content-Length: 3']),
      '3\r\nabc\r\n0\r\n\r\n',
    ],
    expected: [400],
  },
  {
    name: 'a chunk longer than its size',
    steps: (place) => [chunked(place, '4\r\nabcdefgh\r\n0\r\n\r\n')],
    expected: ['own or 400'],
  },
  {
    name: 'a chunk shorter than its size, then the end',
    steps: (place) => [chunked(place, 'ffff\r\nabc'), 'end'],
    expected: ['own or 400'],
  },
  {
    name: 'a broken chunk size in a later packet',
    steps: (place) => [chunked(place, '3\r\nabc\r\n'), 'nonsense\r\n', long],
    expected: ['own or 400'],
  },
  {
    name: 'header fields of 64 KiB',
    steps: (place) => [head(place, [`X-Long: ${long}`])],
    expected: [431],
  },
  {
    name: 'header fields of 64 KiB behind a valid request',
    steps: (place) => [requestOf(place) + head(place, [`X-Long: ${long}`])],
    expected: ['own', 'perhaps'],
  },
  {
    name: 'a second request while the first is under way',
    steps: (place) => [requestOf(place) + closing(place)],
    expected: ['own', 'own'],
  },
  {
    name: 'twenty requests at once',
    steps: (place) => [requestOf(place).repeat(19) + closing(place)],
    expected: Array.from({ length: 20 }, () => 'own' as const),
  },
  {
    name: 'half a second request, then the end',
    steps: (place) => [`${requestOf(place)}GET / HT`, 'end'],
    expected: ['own', 'perhaps'],
  },
  {
    name: 'a second request with a broken chunk',
    steps: (place) => [requestOf(place) + chunked(place, '4\r\nabcdefgh\r\n0\r\n\r\n')],
    expected: ['own', 'own or 400'],
  },
  {
    name: 'a second request with an unknown method',
    steps: (place) => [`${requestOf(place)}BREW ${place.path} HTTP/1.1\r\nHost: x\r\n\r\n`],
    expected: ['own', 'perhaps'],
  },
  {
    name: 'a second request with two Host fields',
    steps: (place) => [requestOf(place) + head(place, ['Host: other', 'Content-Length: 0'])],
    expected: ['own', 400],
  },
  {
    name: 'bytes after a request that closes the connection',
    steps: (place) => [closing(place) + requestOf(place)],
    expected: ['own'],
  },
  {
    name: 'a reset in the middle of a body',
    steps: (place) => [`${sized(place, 1_000)}abc`, 'reset'],
    expected: [],
  },
  {
    name: 'a reset while three requests are under way',
    steps: (place) => [requestOf(place).repeat(3), 'reset'],
    expected: [],
  },
  {
    name: 'a request for a tunnel, then a reset',
    steps: () => ['CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', long, 'reset'],
    expected: [],
  },
];
