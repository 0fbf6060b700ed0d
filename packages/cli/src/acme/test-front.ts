import { AppError } from '@certloop/contracts';
import { generateKeyPair } from '@certloop/crypto';
import {
  type ExternalAccount,
  faultOfCall,
  type OpenedDirectory,
  openDirectory,
  postSigned,
  reasonIn,
  registerAccount,
} from './acme-account.js';
import type { AcmeCalls } from './acme-http.js';

/** One thing that was tested. */
export interface TestedPart {
  readonly part: 'trust' | 'directory' | 'clock' | 'refused name';
  readonly result: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
}

/** A server to be tested, and the key by which names are ordered. */
export interface FrontTest {
  readonly directoryUrl: string;
  readonly rootFile: string | undefined;
  /** Without it, no name is ordered. */
  readonly account: ExternalAccount | undefined;
  /** A name that the client may not have. */
  readonly refusedName: string;
  readonly now: () => Date;
}

/** Tests what an ACME client needs of a server, from this machine. */
export async function testFront(test: FrontTest, calls: AcmeCalls): Promise<readonly TestedPart[]> {
  const sentAt = test.now();
  let opened: OpenedDirectory;
  try {
    opened = await openDirectory(test.directoryUrl, calls);
  } catch (error) {
    return withoutDirectory(error);
  }
  return [
    trustOf(test, opened),
    { part: 'directory', result: 'ok', detail: test.directoryUrl },
    clockOf(opened, sentAt, test.now()),
    await refusalOfName(test, opened, calls),
  ];
}

function withoutDirectory(error: unknown): readonly TestedPart[] {
  const { reason, isTrust } =
    error instanceof AppError ? { reason: error.message, isTrust: false } : faultOfCall(error);
  const first: readonly TestedPart[] = isTrust
    ? [
        { part: 'trust', result: 'failed', detail: reason },
        { part: 'directory', result: 'skipped', detail: 'the server is not trusted' },
      ]
    : [{ part: 'directory', result: 'failed', detail: reason }];
  const skipped = 'without the directory';
  return [
    ...first,
    { part: 'clock', result: 'skipped', detail: skipped },
    { part: 'refused name', result: 'skipped', detail: skipped },
  ];
}

function trustOf({ rootFile }: FrontTest, { answer: { trustedUntil } }: OpenedDirectory): TestedPart {
  if (trustedUntil === undefined)
    return {
      part: 'trust',
      result: 'skipped',
      detail: 'the address begins with http: several clients refuse it, and the key is sent in the clear',
    };
  const by = rootFile ?? 'the roots of this machine';
  return { part: 'trust', result: 'ok', detail: `by ${by}, until ${trustedUntil.toISOString()}` };
}

// the response says the time in whole seconds
const maxSkewSeconds = 60;

function clockOf({ answer }: OpenedDirectory, sentAt: Date, receivedAt: Date): TestedPart {
  const date = answer.headers['date'];
  const server = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(server))
    return { part: 'clock', result: 'skipped', detail: 'the server does not say its time' };
  const middle = (sentAt.getTime() + receivedAt.getTime()) / 2;
  const seconds = Math.round((middle - server) / 1_000);
  const isRight = Math.abs(seconds) <= maxSkewSeconds;
  const side = seconds < 0 ? 'behind' : 'ahead of';
  const detail = isRight
    ? `within ${maxSkewSeconds} s of the server`
    : `this machine is ${Math.abs(seconds)} s ${side} the server: synchronize its clock`;
  return { part: 'clock', result: isRight ? 'ok' : 'failed', detail };
}

/** Orders a certificate for a name that must be refused, by an account that is deactivated after that. */
async function refusalOfName(
  { account, refusedName }: FrontTest,
  { directory }: OpenedDirectory,
  calls: AcmeCalls,
): Promise<TestedPart> {
  const part = 'refused name';
  if (account === undefined)
    return { part, result: 'skipped', detail: 'it needs the key of the client: --hmac-key-file' };
  const { privateKey: key } = await generateKeyPair('P-256');
  const at = { directory, key, calls };
  try {
    const kid = await registerAccount(at, account, undefined);
    const identifiers = [{ type: 'dns', value: refusedName }];
    const answer = await postSigned(at, directory.newOrder, { kid }, { identifiers });
    await postSigned(at, kid, { kid }, { status: 'deactivated' });
    if (answer.status === 403 || answer.status === 400)
      return { part, result: 'ok', detail: reasonIn(answer) };
    const detail =
      answer.status === 201
        ? `the server accepts an order for ${refusedName}: limit the names of the client`
        : `the server did not judge ${refusedName}: ${reasonIn(answer)}`;
    return { part, result: 'failed', detail };
  } catch (error) {
    const detail = error instanceof AppError ? error.message : faultOfCall(error).reason;
    return { part, result: 'failed', detail };
  }
}
