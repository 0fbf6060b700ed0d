import { AppError, NotFound, Unauthenticated } from '@certloop/contracts';
import { type LoginThrottle, StartFailed } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { rightsOf, userCaller } from '../../access/rights.js';
import { type AccountsDeps, type NewAccount, newAdmin, storeAccount } from '../accounts.service.js';
import type { UserRow } from '../user.js';
import { hadAdmin, markFirstAdmin } from '../users.repository.js';
import type { SetupToken } from './setup-token.store.js';
import { deleteSetupTokens } from './setup-tokens.repository.js';

export interface BootstrapDeps extends AccountsDeps {
  readonly throttle: LoginThrottle;
  readonly setupToken: SetupToken;
}

/**
 * Creates the first administrator for a caller with the setup token. Throws NotFound once there has been one,
 * Unauthenticated when the token is wrong or too old, InvalidInput for a wrong account, and
 * a too_many_requests refusal. Of two calls at once, one creates the administrator.
 */
export async function bootstrapWithToken(
  deps: BootstrapDeps,
  caller: Caller,
  { token, ...account }: NewAccount & { readonly token: string },
): Promise<UserRow> {
  await requireSetupOpen(deps);
  const { throttle, setupToken } = deps;
  const isProven = await throttle.attempt({ account: 'setup', address: caller.ipAddress }, async () =>
    (await setupToken.matches(token)) ? true : undefined,
  );
  // Another call may have created the administrator in the meantime, which ended the token.
  if (isProven !== true) throw (await deps.db.read(hadAdmin)) ? setupIsOver() : wrongToken();
  const row = await makeFirstAdmin(deps, caller, account);
  if (row === undefined) throw setupIsOver();
  await setupToken.end();
  return row;
}

/** Whether there has never been an administrator. */
export async function needsSetup({ db }: Pick<AccountsDeps, 'db'>): Promise<boolean> {
  return !(await db.read(hadAdmin));
}

/** Throws NotFound once there has been an administrator, no matter how they were created. */
export async function requireSetupOpen({ db }: Pick<AccountsDeps, 'db'>): Promise<void> {
  if (!(await needsSetup({ db }))) throw setupIsOver();
}

/** Makes the first administrator; undefined when there has been one already. Throws InvalidInput. */
async function makeFirstAdmin(
  deps: AccountsDeps,
  caller: Caller,
  account: NewAccount,
): Promise<UserRow | undefined> {
  const row = await newAdmin(deps, account);
  // The new administrator is the caller: no one else existed.
  const admin = { ...userCaller(row, rightsOf(row, []), caller), kind: caller.kind };
  return deps.db.transaction(async (tx) => {
    if (!(await markFirstAdmin(tx, row.createdAt))) return undefined;
    await deleteSetupTokens(tx);
    await storeAccount(tx, admin, row, { action: 'auth.bootstrap', resourceType: 'user' });
    return row;
  });
}

export interface SetupDeps extends BootstrapDeps {
  /** The administrator that the environment names, if it names one. */
  readonly givenAdmin: NewAccount | undefined;
  /** Shows the operator one line. */
  readonly announce: (line: string) => void;
  readonly setupTokenPath: string;
}

/**
 * At the start of a service that never had an administrator: makes the one that the environment names, or
 * else issues a setup token and says where it is. Throws InvalidInput, StartFailed.
 */
export async function prepareSetup(deps: SetupDeps, caller: Caller): Promise<void> {
  if (await deps.db.read(hadAdmin)) {
    await deps.setupToken.end();
    return;
  }
  if (deps.givenAdmin !== undefined) {
    await makeFirstAdmin(deps, caller, deps.givenAdmin).catch((error: unknown) => {
      // the operator set it, so the operator must correct it
      throw error instanceof AppError ? new StartFailed(`BOOTSTRAP_ADMIN: ${error.message}`) : error;
    });
    return;
  }
  await deps.setupToken.issue();
  // not the token: logs are read by more people than the file
  deps.announce(
    `no administrator yet: create one within 60 minutes at /ui/, or by POST /auth/bootstrap, with the token in ${deps.setupTokenPath}`,
  );
}

function setupIsOver(): NotFound {
  return new NotFound('the first administrator already exists', {
    code: 'setup_is_over',
    title: 'Setup is over',
  });
}

function wrongToken(): Unauthenticated {
  return new Unauthenticated(
    'the setup token is wrong or too old; a restart of any replica issues a new one',
    {
      code: 'invalid_setup_token',
      title: 'Setup token refused',
    },
  );
}
