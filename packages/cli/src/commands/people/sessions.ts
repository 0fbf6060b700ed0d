import type { OwnSession } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { withPassword } from '../../connection/with-password.js';

const rowOf = ({ createdAt, lastUsedAt, isCurrent, id }: OwnSession) => ({
  created: createdAt,
  'last used': lastUsedAt,
  'this command': isCurrent ? 'yes' : 'no',
  id,
});

/** Adds `sessions`. Only a session may list sessions, so they ask for the password. */
export function addSessions(program: Command, open: () => Session): void {
  const sessions = program
    .command('sessions')
    .description(
      'Your open sessions at cert-manager, such as those of browsers; these commands need your password',
    );
  sessions
    .command('list', { isDefault: true })
    .description('List your open sessions, the newest first')
    .action(async () => {
      const session = open();
      await withPassword(session, undefined, async ({ manager, headers }) => {
        session.report.list((await manager.listSessions({ headers })).body, rowOf);
      });
    });
  sessions
    .command('delete <session>')
    .description('End one of your sessions, by id')
    .option('-y, --yes', 'end it; without it, the command asks')
    .action(async (id, { yes }) => {
      const session = open();
      await confirm(session.io, yes, `session ${id} would end`);
      await withPassword(session, undefined, async ({ manager, headers }) => {
        session.report.done((await manager.deleteSession({ params: { id }, headers })).body.message, { id });
      });
    });
}
