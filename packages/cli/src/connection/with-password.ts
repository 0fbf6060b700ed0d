import { UsageError } from '../faults/command-errors.js';
import { readSecret } from '../secret.js';
import type { Session } from './session.js';
import { type SignedIn, signIn } from './sign-in.js';

/** Asks for the password of the one who is logged in, or reads it from a file, works in a session of theirs and ends it. */
export async function withPassword(
  session: Session,
  passwordFile: string | undefined,
  work: (signedIn: SignedIn) => Promise<void>,
): Promise<void> {
  const { url, token } = (await session.connection()).certManager ?? {};
  if (url === undefined)
    throw new UsageError('log in first (certloop login), or set CERTLOOP_URL and CERTLOOP_TOKEN');
  const { username } = (await session.manager.getMe()).body.user;
  if (token === undefined) throw new UsageError('log in first (certloop login)');
  const password = await readSecret(session.io, {
    question: `Password of ${username}: `,
    name: `password of ${username}`,
    option: '--password-file',
    file: passwordFile,
  });
  const signedIn = await signIn(url, username, password, session.fetchFrom('cert-manager'));
  try {
    await work(signedIn);
  } finally {
    await signedIn.manager.logout({ headers: signedIn.headers });
  }
}
