import {
  AppError,
  createCertManagerClient,
  createCheckMonitorClient,
  type NewApiToken,
} from '@certloop/contracts';
import type { Administrator, ProjectKeys } from './first-start.js';
import { patientCalls } from './main-job.js';

const dayMs = 86_400_000;
// A stack that is started once a week still gets a new token before the old one ends.
const renewBeforeMs = 14 * dayMs;

/** Whether a token is accepted and lasts for another two weeks. */
export async function tokenLasts(baseUrl: string, token: string, now: Date): Promise<boolean> {
  const me = await refusedAsUndefined(createCertManagerClient({ ...patientCalls, baseUrl, token }).getMe());
  const expiresAt = me?.body.token?.expiresAt;
  return expiresAt !== undefined && Date.parse(expiresAt) - now.getTime() > renewBeforeMs;
}

/** Whether the monitor accepts every API key. */
export async function keysWork(baseUrl: string, keys: ProjectKeys): Promise<boolean> {
  const { readWriteKey, readOnlyKey, canaryKey = readWriteKey } = keys;
  const checks = [readWriteKey, readOnlyKey, canaryKey].map((apiKey) =>
    refusedAsUndefined(
      createCheckMonitorClient({ ...patientCalls, baseUrl, apiKey }).listChecks({ query: { slug: 'none' } }),
    ),
  );
  return (await Promise.all(checks)).every((reply) => reply !== undefined);
}

/** A new API token of an administrator; undefined when their password is refused. */
export async function issueToken(
  baseUrl: string,
  { username, password }: Administrator,
): Promise<string | undefined> {
  const client = createCertManagerClient({ ...patientCalls, baseUrl });
  const login = await refusedAsUndefined(client.login({ body: { username, password } }));
  if (login === undefined) return undefined;
  const cookie = login.headers?.['set-cookie']?.split(';')[0] ?? '';
  const session = { cookie, 'x-csrf-token': login.body.csrfToken, origin: baseUrl };
  const created = await client.createApiToken({
    headers: session,
    body: { name: 'npm start', scope: 'ADMIN' },
  });
  await client.logout({ headers: session });
  return (created.body satisfies NewApiToken).token;
}

/** Undefined for a credential that is refused; anything else that goes wrong is thrown. */
async function refusedAsUndefined<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}
