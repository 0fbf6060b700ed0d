import type { Served, Target } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { formatDuration } from '../../output/table.js';
import { inputOf, openFqdnTargets, type TargetOptions, withSettings } from './target-settings.js';

const rowOf = ({ host, port, protocol, sni, mode, everySeconds, enabled, id }: Target) => ({
  host,
  port,
  protocol,
  name: sni,
  mode,
  every: formatDuration(everySeconds),
  enabled: enabled ? 'yes' : 'no',
  id,
});

/** Adds `targets`. */
export function addTargets(program: Command, open: () => Session): void {
  const targets = program
    .command('targets')
    .description('Targets: the places where the certificate of an FQDN is served');
  targets
    .command('list <fqdn>', { isDefault: true })
    .description('List the targets of an FQDN')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (fqdn, { space }) => {
      const { report, manager, params } = await openFqdnTargets(open(), fqdn, space);
      report.list((await manager.listTargets({ params })).body, rowOf, { wide: ['mode', 'every'] });
    });
  withSettings(
    targets.command('create <fqdn> [host]').description('Add a target; without a host, it is the FQDN'),
  )
    .option('--if-not-exists', 'succeed if there is a target at that host and port')
    .action((fqdn, host, options) => createTarget(open(), fqdn, host, options));
  withSettings(
    targets
      .command('update <fqdn> <target>')
      .description('Change a target, by host or id; settings without an option stay unchanged'),
  )
    .option('--enabled', 'probe it')
    .option('--no-enabled', 'stop probing it')
    .action(async (fqdn, named, options) => {
      const { report, manager, params, find } = await openFqdnTargets(open(), fqdn, options.space);
      const { id: targetId } = await find(named);
      const request = { params: { ...params, targetId }, body: inputOf(options) };
      report.thing((await manager.updateTarget(request)).body, rowOf);
    });
  targets
    .command('delete <fqdn> <target>')
    .description('Remove a target, by host or id')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('-y, --yes', 'remove; without it, the command asks')
    .action((fqdn, named, options) => deleteTarget(open(), fqdn, named, options));
  targets
    .command('probe <fqdn> <target>')
    .description('Have cert-manager probe a target now, by host or id')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (fqdn, named, { space }) => {
      const { report, manager, params, find } = await openFqdnTargets(open(), fqdn, space);
      const { id: targetId } = await find(named);
      showServed(report, (await manager.probeTarget({ params: { ...params, targetId } })).body);
    });
  targets
    .command('served [fqdn]')
    .description('Show what the targets of an FQDN serve, or a summary of all FQDNs')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action((fqdn, { space }) => listServed(open(), fqdn, space));
}

interface NewTarget extends TargetOptions {
  readonly ifNotExists?: true;
}

interface Deletion extends TargetOptions {
  readonly yes?: true;
}

async function deleteTarget(session: Session, fqdn: string, named: string, options: Deletion): Promise<void> {
  const { space, yes } = options;
  const { report, manager, params, find } = await openFqdnTargets(session, fqdn, space);
  const target = await find(named);
  await confirm(session.io, yes, `target ${target.host}:${target.port} of ${fqdn} would no longer be probed`);
  const { body } = await manager.deleteTarget({ params: { ...params, targetId: target.id } });
  report.done(body.message, target);
}

/** Shows what the targets of an FQDN serve; without one, a line for each FQDN. */
async function listServed(session: Session, fqdn: string | undefined, space: string | undefined) {
  if (fqdn !== undefined) {
    const { report, manager, params } = await openFqdnTargets(session, fqdn, space);
    return showServed(report, (await manager.getServed({ params })).body);
  }
  const { body } = await session.manager.listServed();
  session.report.list(body, (one) => ({
    fqdn: one.fqdn,
    class: one.class,
    since: one.since,
    hint: one.hint,
  }));
}

async function createTarget(
  session: Session,
  fqdn: string,
  host: string | undefined,
  options: NewTarget,
): Promise<void> {
  const { report, manager, params } = await openFqdnTargets(session, fqdn, options.space);
  const input = { ...(host !== undefined && { host }), ...inputOf(options) };
  if (options.ifNotExists === true) {
    const wanted = { ...input, host: (host ?? fqdn).toLowerCase() };
    const same = (await manager.listTargets({ params })).body.find(
      (target) =>
        target.host === wanted.host &&
        (wanted.port ?? target.port) === target.port &&
        (wanted.protocol ?? target.protocol) === target.protocol &&
        (wanted.sni ?? target.sni) === target.sni,
    );
    if (same !== undefined) {
      session.unchanged();
      return report.thing(same, rowOf);
    }
  }
  report.thing((await manager.createTarget({ params, body: input })).body, rowOf);
}

function showServed(report: Session['report'], served: Served): void {
  const rows = served.targets.flatMap(({ host, port, addresses }) =>
    addresses.map((one) => ({ target: `${host}:${port}`, ...one })),
  );
  report.list(rows, ({ target, address, class: found, since, served: leaf }) => ({
    target,
    address,
    class: found,
    since,
    expires: leaf?.notAfter.slice(0, 10),
  }));
  for (const { well, hint } of rows) if (!well) report.warn(hint);
}
