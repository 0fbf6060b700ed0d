import { resolve } from 'node:path';
import { parseHost } from '@certloop/tls-probe';
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { parseVerify, type VerifyPlace } from '../../machine/check-served.js';
import { findId, parseMode } from '../../machine/file-access.js';
import { type Hook, parseHook } from '../../machine/hook-words.js';
import { type Copy, copyParts, type Machine } from '../../machine/machine.js';
import { machineCheck, periods } from '../../machine/machine-check.js';
import { type PullOptions, pullForever, pullOnce } from '../../machine/pull.js';
import { duration } from '../../numbers.js';

/** Options of hooks, which `pull` and `deploy-hook` have. */
export const hookHelp = {
  test: 'command that tests the configuration of the server, all words up to the next option, such as nginx -t',
  reload: 'command that reloads the server, all words up to the next option, such as systemctl reload nginx',
  verify:
    'HOST:PORT that must serve the certificate within 30 s; with /smtp or another protocol for STARTTLS',
} as const;

/** Adds `pull`. */
export function addPull(program: Command, open: () => Session): void {
  program
    .command('pull <fqdn>')
    .description(
      'Install the newest certificate of an FQDN on this machine, have the server take it, and wait for the next one',
    )
    .requiredOption(
      '--dir <folder>',
      'folder of the certificate and its key; current in it is the newest pair',
    )
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--key <file>', 'PEM file of the private key, which never leaves this machine')
    .option('--new-key', 'make a key and a CSR if there is no key in the folder, and upload the CSR')
    .option(
      '--copy <part=file>',
      `copy key, cert, chain or fullchain to a file; may be repeated`,
      collectCopy,
    )
    .option('--owner <user>', 'owner of the files')
    .option('--group <group>', 'group of the files')
    .addOption(
      new Option('--mode <mode>', 'mode of the key, such as 640; certificates have 644')
        .argParser(parseMode)
        .default(0o600, '600'),
    )
    .option('--test <command>', hookHelp.test, parseHook)
    .option('--reload <command>', hookHelp.reload, parseHook)
    .option('--verify <place>', hookHelp.verify, parseVerify)
    .option('--once', 'end after one look, for cron and timers; exit code 1 if it failed')
    .option(
      '--wait <duration>',
      'how long cert-manager may hold a request until there is a newer certificate: seconds, or 2m; default: 120, with --once 0',
      duration('--wait', 's', 0, 120),
    )
    .option(
      '--watch [check]',
      'ping this check after each look; without a name, one of its own, which is made',
    )
    .action(async (fqdn, options) => {
      const session = open();
      const pull = await pullOptionsOf(session, fqdn, options);
      if (options.once !== true) return pullForever(session, pull);
      const { outcome, current } = await pullOnce(session, pull);
      if (outcome === 'none') session.report.warn(`${pull.machine.fqdn} has no certificate yet`);
      if (outcome === 'unchanged' && current !== undefined) {
        const { serialNumber, notAfter } = current.leaf;
        const found = { fqdn: pull.machine.fqdn, serial: serialNumber, notAfter: notAfter.toISOString() };
        session.report.done(
          `${found.fqdn}: serial ${found.serial} is the newest, ends ${found.notAfter}`,
          found,
        );
      }
    });
}

interface PullFlags {
  readonly dir: string;
  readonly space?: string;
  readonly key?: string;
  readonly newKey?: true;
  readonly copy?: readonly Copy[];
  readonly owner?: string;
  readonly group?: string;
  readonly mode: number;
  readonly test?: Hook;
  readonly reload?: Hook;
  readonly verify?: VerifyPlace;
  readonly once?: true;
  readonly wait?: number;
  readonly watch?: string | true;
}

async function pullOptionsOf(session: Session, named: string, flags: PullFlags): Promise<PullOptions> {
  if (flags.key !== undefined && flags.newKey === true)
    throw new UsageError('--key and --new-key cannot be combined');
  const fqdn = hostOf(named);
  const now = () => new Date();
  const period = flags.once === true ? periods.once : periods.staying;
  return {
    machine: await machineOf(session, fqdn, flags),
    space: flags.space,
    wait: Math.round(flags.wait ?? (flags.once === true ? 0 : 120)),
    check:
      flags.watch === undefined
        ? undefined
        : machineCheck(session, { fqdn, named: flags.watch, period, now }),
    now,
  };
}

async function machineOf({ io, report }: Session, fqdn: string, flags: PullFlags): Promise<Machine> {
  const { owner, group, mode, dir, copy = [], key, newKey, test, reload, verify } = flags;
  const uid = owner === undefined ? undefined : await findId('user', owner);
  const gid = group === undefined ? undefined : await findId('group', group);
  return {
    io,
    report,
    fqdn,
    dir: resolve(dir),
    copies: copy,
    keyFile: key,
    wantsKey: newKey === true,
    keyAccess: { mode, uid, gid },
    certificateAccess: { mode: 0o644, uid, gid },
    test,
    reload,
    verify,
  };
}

/** As cert-manager stores it. Throws UsageError. */
function hostOf(named: string): string {
  const [, wildcard = '', rest = ''] = /^(\*\.)?(.*)$/s.exec(named) ?? [];
  try {
    return `${wildcard}${parseHost(rest)}`;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function collectCopy(text: string, copies: readonly Copy[] = []): readonly Copy[] {
  const [named = '', ...rest] = text.split('=');
  const part = copyParts.find((one) => one === named);
  const path = rest.join('=');
  if (part === undefined || path === '')
    throw new InvalidArgumentError(
      `It is ${copyParts.join(', ')} and a file, such as fullchain=/etc/haproxy/site.pem.`,
    );
  return [...copies, { part, path: resolve(path) }];
}
