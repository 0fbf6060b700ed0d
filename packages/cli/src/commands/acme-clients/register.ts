import { rm } from 'node:fs/promises';
import { AppError, UpstreamFailed } from '@certloop/contracts';
import { exportPrivateKeyPem, generateKeyPair } from '@certloop/crypto';
import type { Command } from '@commander-js/extra-typings';
import { faultOfCall, openDirectory, registerAccount } from '../../acme/acme-account.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { faultCode } from '../../faults/system-fault.js';
import { writeNewFile } from '../../machine/whole-files.js';
import { accessIn, type ServerOptions, withServerOptions } from './server-options.js';

/** Adds `acme-clients register`. */
export function addRegister(clients: Command, open: () => Session): void {
  withServerOptions(clients.command('register'))
    .description('Register an account and write its key, for clients without External Account Binding')
    .requiredOption('--key-file <path>', 'file of the key of the account; it is never overwritten')
    .option('--email <address>', 'contact of the account')
    .action((options) => registerClient(open(), options));
}

async function registerClient(
  session: Session,
  options: ServerOptions & { readonly keyFile: string; readonly email?: string },
): Promise<void> {
  const { keyFile, email } = options;
  const { directoryUrl, calls, account } = await accessIn(session, options);
  if (account === undefined) throw new UsageError('name the file of the key by --hmac-key-file');
  const { privateKey: key } = await generateKeyPair('P-256');
  // before the account exists, so that no account is without its key
  await writeKey(keyFile, exportPrivateKeyPem(key));
  try {
    const { directory } = await openDirectory(directoryUrl, calls);
    const url = await registerAccount({ directory, key, calls }, account, email);
    session.report.done(`registered ${url}; its key is ${keyFile}`, { url, keyFile });
  } catch (error) {
    await rm(keyFile, { force: true });
    if (error instanceof AppError) throw error;
    throw new UpstreamFailed(`${directoryUrl} cannot be used: ${faultOfCall(error).reason}`, {
      cause: error,
    });
  }
}

async function writeKey(file: string, pem: string): Promise<void> {
  try {
    await writeNewFile(file, pem, { mode: 0o600 });
  } catch (error) {
    if (faultCode(error) !== 'EEXIST') throw error;
    throw new UsageError(`${file} already exists: name another file, or use the account that it belongs to`);
  }
}
