import { Conflict } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { testFront } from '../../acme/test-front.js';
import type { Session } from '../../connection/session.js';
import { accessIn, type ServerOptions, withServerOptions } from './server-options.js';

/** Adds `acme-clients test`. */
export function addTest(clients: Command, open: () => Session): void {
  withServerOptions(clients.command('test'))
    .description('Test from this machine what an ACME client needs; exit code 1 if something fails')
    .option(
      '--refused-name <name>',
      'a name that the client may not have, for which it orders a certificate',
      'refused.certloop.invalid',
    )
    .action((options) => testClient(open(), options));
}

async function testClient(
  session: Session,
  options: ServerOptions & { readonly refusedName: string },
): Promise<void> {
  const { directoryUrl, calls, account } = await accessIn(session, options);
  const test = {
    directoryUrl,
    rootFile: options.ca,
    account,
    refusedName: options.refusedName,
    now: () => new Date(),
  };
  const tested = await session.activity.during(
    () => 'waiting for the ACME server',
    () => testFront(test, calls),
  );
  session.report.list(tested, ({ part, result, detail }) => ({ part, result, detail }));
  const failed = tested.filter(({ result }) => result === 'failed');
  if (failed.length > 0)
    throw new Conflict(failed.map(({ part, detail }) => `${part}: ${detail}`).join('; '));
}
