import { access, constants, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../faults/command-errors.js';

export type AdministeredService = 'cert-manager' | 'check-monitor';

/** Where the command lines of the services are searched. */
export interface SearchPlace {
  /** CERTLOOP_HOME, a built checkout or its like. */
  readonly home: string | undefined;
  /** The file of this command line. */
  readonly file: string;
  /** Root of the file system, with the folders of the image (`app`) and of the systemd units (`opt/certloop`). */
  readonly root: string;
}

const nouns = { 'cert-manager': 'manager', 'check-monitor': 'monitor' } as const;

/**
 * Path of the service's own command line, since this one has no database driver. It is searched in CERTLOOP_HOME, in the
 * checkout that this file belongs to, and in the folders of the image and the systemd units; never in the current
 * folder, whose code may be a stranger's. Throws UsageError if the service is not there, or not built.
 */
export async function findServiceCli(
  app: AdministeredService,
  { home, file, root }: SearchPlace,
): Promise<string> {
  const installed = [join(root, 'opt/certloop/apps', app), join(root, 'app')];
  const folders = home
    ? [join(home, 'apps', app), home]
    : [...parentsOf(dirname(file)).map((parent) => join(parent, 'apps', app)), ...installed];
  for (const folder of folders) {
    if ((await packageName(folder)) === `@certloop/${app}`) return builtEntry(folder);
  }
  throw new UsageError(
    `${app} is not installed here: run this where it runs, such as docker compose exec ${app} certloop admin ${nouns[app]}, or set CERTLOOP_HOME to a built checkout`,
  );
}

async function packageName(folder: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).name;
  } catch {
    return undefined;
  }
}

async function builtEntry(folder: string): Promise<string> {
  // the bundled one starts faster; images have only the other
  for (const built of ['service', 'src']) {
    const entry = join(folder, 'dist', built, 'cli.js');
    if (await isReadable(entry)) return entry;
  }
  throw new UsageError(`${folder} is not built: run npm run build there`);
}

async function isReadable(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}
