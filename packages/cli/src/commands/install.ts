import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { execPath, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { describeFault, faultCode } from '../faults/system-fault.js';
import { type ManPage, manPages } from '../reference/man-pages.js';
import { isBundled, version } from '../version.js';

/** Adds `version` and `install`. */
export function addInstall(program: Command, open: () => Session): void {
  program
    .command('version')
    .description('Print the versions of certloop and Node.js, and the path of the running file')
    .action(() => {
      const shown = { version, node: process.versions.node, file: ownFile() };
      open().report.thing(shown, (all) => all);
    });
  program
    .command('install')
    .description('Install certloop.mjs, the command certloop and its manual into a folder of PATH')
    .option('--dir <folder>', 'folder to install into; default: /usr/local/bin for root, else ~/.local/bin')
    .option('--no-man', 'do not install the manual, whose place is share/man beside the folder bin')
    .action(({ dir, man }) => install(open(), dir, man ? manPages(program) : []));
}

/** The file of the bundle, or that of the compiled sources. */
function ownFile(): string {
  return fileURLToPath(import.meta.url);
}

async function install(
  { io, report }: Session,
  dir: string | undefined,
  pages: readonly ManPage[],
): Promise<void> {
  const source = isBundled ? ownFile() : fileURLToPath(new URL('../../bundle/certloop.mjs', import.meta.url));
  const bytes = await readBundle(source);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await requireChecksum(source, sha256);
  const folder = resolve(dir ?? usualFolder(io.env));
  const file = join(folder, 'certloop.mjs');
  const command = join(folder, 'certloop');
  try {
    await mkdir(folder, { recursive: true });
    await replaceFile(file, bytes);
    // names Node by its path, since PATH of cron often has none
    if (platform !== 'win32')
      await replaceFile(command, `#!/bin/sh\nexec ${quoted(execPath)} ${quoted(file)} "$@"\n`);
    if (platform !== 'win32') await installPages(folder, pages);
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    throw new UsageError(`--dir: ${describeFault(error, folder)}; name a folder that you may write`);
  }
  const installed = platform === 'win32' ? file : command;
  report.done(`installed ${installed} ${version}, sha256 ${sha256}`, {
    version,
    file,
    command: installed,
    sha256,
  });
  if (!(io.env['PATH'] ?? '').split(delimiter).includes(folder))
    report.warn(`${folder} is not in PATH: add it, or call ${installed} by its path`);
}

/** Puts the pages where man looks for those of a folder of PATH that is named bin. */
async function installPages(folder: string, pages: readonly ManPage[]): Promise<void> {
  if (basename(folder) !== 'bin' || pages.length === 0) return;
  const section = join(folder, '..', 'share', 'man', 'man1');
  await mkdir(section, { recursive: true });
  for (const { file, text } of pages) await replaceFile(join(section, file), text, 0o644);
}

async function readBundle(source: string): Promise<Buffer> {
  try {
    return await readFile(source);
  } catch (error) {
    if (faultCode(error) !== 'ENOENT') throw error;
    throw new UsageError('there is no certloop.mjs yet: run npm run bundle first');
  }
}

/** Refuses a file that differs from the checksum beside it; without one, there is nothing to compare. */
async function requireChecksum(source: string, sha256: string): Promise<void> {
  const beside = await readFile(`${source}.sha256`, 'utf8').catch(() => undefined);
  if (beside === undefined || beside.startsWith(`${sha256} `)) return;
  throw new UsageError(
    `${basename(source)} differs from its checksum in ${basename(source)}.sha256: fetch both files again`,
  );
}

function usualFolder(env: Session['io']['env']): string {
  const isRoot = platform !== 'win32' && userInfo().uid === 0;
  return isRoot ? '/usr/local/bin' : join(env['HOME'] ?? homedir(), '.local', 'bin');
}

/** Whole or not at all: a job that starts in the meantime runs the former file. */
async function replaceFile(file: string, content: string | Buffer, mode = 0o755): Promise<void> {
  const draft = `${file}.new`;
  try {
    await writeFile(draft, content, { mode });
    await chmod(draft, mode);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** A path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
