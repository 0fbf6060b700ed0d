import type { Command } from '@commander-js/extra-typings';
import { requireContext } from '../../connection/contexts.js';
import { changeContexts, readContexts } from '../../connection/contexts.store.js';
import type { Session } from '../../connection/session.js';
import { addContextChanges, contextRowOf, contextView } from './context-changes.js';
import { contextName } from './login.js';

/** Adds `contexts`. */
export function addContexts(program: Command, open: () => Session): void {
  const contexts = program
    .command('contexts')
    .description('Contexts: stored log-ins with a default space and project');
  contexts
    .command('list', { isDefault: true })
    .description('List contexts')
    .action(async () => {
      const { io, report } = open();
      const all = await readContexts(io.env);
      const rows = Object.entries(all.contexts).map(([name, context]) => contextView(all, name, context));
      report.list(rows, contextRowOf, { wide: ['username', 'dummy-ca'] });
    });
  contexts
    .command('use <context>')
    .description('Use a context for later calls')
    .action(async (name) => {
      const { io, report } = open();
      await changeContexts(io.env, (all) => {
        requireContext(all, name);
        return { ...all, current: name };
      });
      report.done(`context ${name} is used from now on`, { name });
    });
  contexts
    .command('get [context]')
    .description('Show a context without its token and key; by default the one in use')
    .action(async (named) => {
      const session = open();
      const all = await readContexts(session.io.env);
      const name = named ?? contextName(session, all);
      session.report.thing(contextView(all, name, requireContext(all, name)), contextRowOf);
    });
  addContextChanges(contexts, open);
}
