import { dirname, join, normalize } from 'node:path';
import type { ImportSource } from '@certloop/contracts';
import {
  type EntryBudget,
  folderId,
  isFolderAt,
  isPresent,
  limitReached,
  listFolder,
  maxPemBytes,
  maxStoreBytes,
  readBounded,
} from './disk.store.js';
import {
  certificatesOf,
  type FoundCertificate,
  findServerCertificates,
  Unusable,
} from './found-certificate.js';
import {
  type FolderTool,
  isNamedAsKey,
  isNamedAsPem,
  isNamedAsTraefikStore,
  keyFilesBeside,
  type Lineage,
  layouts,
} from './layouts.js';
import { parseTraefikStore } from './traefik-store.js';

/** A certificate on disk, and how its key is read. */
export interface CertificateOnDisk extends FoundCertificate {
  /** Contents of the files that may hold the key; files that are absent are left out. Throws Unusable. */
  readonly readKeys: () => Promise<Buffer[]>;
}

/** A path that yields no certificate, and why. */
export interface UnusablePath {
  readonly path: string;
  readonly reason: string;
  /** False for what may well be there without a certificate, such as a folder with a key alone. */
  readonly isFault: boolean;
}

export interface DiskContents {
  readonly found: readonly CertificateOnDisk[];
  readonly unusable: readonly UnusablePath[];
}

export interface ReadOptions {
  /** Whether keys that are in the same file as all certificates are read as well. */
  readonly withKeys: boolean;
  readonly now: Date;
  readonly limits?: ReadLimits;
}

export interface ReadLimits {
  readonly certificates: number;
  /** Entries of all folders. */
  readonly entries: number;
}

/** Limits of one command. */
const usualLimits: ReadLimits = { certificates: 10_000, entries: 100_000 };

/** Reads the certificates of a tool at the paths. What cannot be read is returned with its reason, and the rest is read. */
export async function readToolFiles(
  tool: ImportSource,
  paths: readonly string[],
  options: ReadOptions,
): Promise<DiskContents> {
  const reader = new ToolReader(options);
  for (const path of paths) {
    await reader.guarded(path, () => {
      if (tool === 'traefik') return reader.readTraefik(path);
      return tool === 'pem' ? reader.readPem(path, true) : reader.readLayout(tool, path);
    });
  }
  return reader;
}

class ToolReader implements DiskContents {
  readonly found: CertificateOnDisk[] = [];
  readonly unusable: UnusablePath[] = [];
  readonly #budget: EntryBudget;
  readonly #visited = new Set<string>();
  #isFull = false;
  readonly #options: ReadOptions & { readonly limits: ReadLimits };

  constructor(options: ReadOptions) {
    this.#options = { limits: usualLimits, ...options };
    const { entries } = this.#options.limits;
    this.#budget = { max: entries, left: entries };
  }

  /** Does the work, unless a limit is reached; what is unusable is noted with the path. */
  async guarded(path: string, work: () => Promise<void>): Promise<void> {
    if (this.#isFull) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      this.#isFull = error.isLimit;
      this.unusable.push({ path, reason: error.message, isFault: error.isFault });
    }
  }

  async readLayout(tool: FolderTool, path: string): Promise<void> {
    const { folders, lineagesIn, where } = layouts[tool];
    const before = this.found.length + this.unusable.length;
    if (!(await isFolderAt(path))) {
      const folder = dirname(path);
      const files = (await listFolder(folder, this.#budget)).map(({ name }) => name);
      const lineage = lineagesIn(folder, files).find(({ certificateFiles }) =>
        certificateFiles.includes(normalize(path)),
      );
      if (lineage === undefined) throw new Unusable(`${tool} has no certificate there: PATH is ${where}`);
      return this.#readLineage(lineage);
    }
    for (const parts of folders) {
      for (const folder of await this.#foldersBelow(path, parts)) {
        await this.guarded(folder, async () => {
          const files = (await listFolder(folder, this.#budget)).filter(({ isFolder }) => !isFolder);
          const lineages = lineagesIn(
            folder,
            files.map(({ name }) => name),
          );
          for (const lineage of lineages) await this.guarded(lineage.path, () => this.#readLineage(lineage));
        });
      }
      if (this.found.length + this.unusable.length > before) return;
    }
    throw new Unusable(`there is no certificate of ${tool}: PATH is ${where}`);
  }

  async readTraefik(path: string): Promise<void> {
    if (!(await isFolderAt(path))) return this.#readTraefikStore(path);
    const stores = (await listFolder(path, this.#budget)).filter(({ name }) => isNamedAsTraefikStore(name));
    if (stores.length === 0) throw new Unusable('there is no acme.json: PATH is that file or its folder');
    for (const { name } of stores) {
      const store = join(path, name);
      await this.guarded(store, () => this.#readTraefikStore(store));
    }
  }

  /** Reads a file, or all files of a folder and of those below it that are named as PEM. */
  async readPem(path: string, isGiven: boolean): Promise<void> {
    if (!(await isFolderAt(path))) return this.#readPemFile(path);
    const id = await folderId(path);
    if (this.#visited.has(id)) return;
    this.#visited.add(id);
    const before = this.found.length + this.unusable.length;
    for (const { name, isFolder } of await listFolder(path, this.#budget)) {
      const below = join(path, name);
      if (isFolder) await this.guarded(below, () => this.readPem(below, false));
      else if (isNamedAsPem(name)) await this.guarded(below, () => this.#readPemFile(below));
    }
    if (isGiven && this.found.length + this.unusable.length === before)
      throw new Unusable('no file in it ends in .pem, .crt, .cer or .cert, except those of keys');
  }

  /** Folders that the parts name, `*` any; none where a folder is absent. */
  async #foldersBelow(path: string, parts: readonly string[]): Promise<string[]> {
    let folders = [path];
    for (const part of parts) {
      const next: string[] = [];
      for (const folder of folders) {
        if (part !== '*') next.push(...((await isFolderAt(join(folder, part))) ? [join(folder, part)] : []));
        else
          await this.guarded(folder, async () => {
            const entries = await listFolder(folder, this.#budget);
            next.push(...entries.filter(({ isFolder }) => isFolder).map(({ name }) => join(folder, name)));
          });
      }
      folders = next;
    }
    return folders;
  }

  async #readLineage({ names, path, certificateFiles, keyFiles }: Lineage): Promise<void> {
    if (certificateFiles.length === 0) return this.#skip(path, 'it has a key and no certificate');
    const files: Buffer[] = [];
    for (const file of certificateFiles) files.push(await readBounded(file, maxPemBytes));
    this.#add(files, { path, names, readKeys: () => readPresent(keyFiles) });
  }

  async #readPemFile(path: string): Promise<void> {
    if (isNamedAsKey(path)) return this.#skip(path, 'it is named as the file of a key, so it was not opened');
    const bytes = await readBounded(path, maxPemBytes);
    this.#add([bytes], { path, names: [], readKeys: () => readPresent(keyFilesBeside(path)) });
  }

  async #readTraefikStore(path: string): Promise<void> {
    const bytes = await readBounded(path, maxStoreBytes);
    const store = parseTraefikStore(bytes, this.#options);
    bytes.fill(0);
    if (typeof store === 'string') throw new Unusable(store);
    for (const reason of store.damaged)
      this.unusable.push({ path, reason: `${reason} is damaged`, isFault: true });
    for (const { resolver, names, certificate, key } of store.certificates) {
      await this.guarded(`${path} (${resolver}: ${names[0]})`, async () =>
        this.#add([certificate], { path, names, readKeys: async () => (key === undefined ? [] : [key]) }),
      );
    }
    if (store.certificates.length + store.damaged.length === 0) this.#skip(path, 'it has no certificate yet');
  }

  /** Adds the certificates of the files, whose contents are then overwritten, since there may be a key among them. */
  #add(
    files: readonly Buffer[],
    { path, names, readKeys }: Pick<CertificateOnDisk, 'path' | 'names' | 'readKeys'>,
  ): void {
    try {
      const { now, limits } = this.#options;
      const found = findServerCertificates(certificatesOf(files), { path, names, now });
      if (this.found.length + found.length > limits.certificates)
        throw limitReached(limits.certificates, 'certificates');
      this.found.push(...found.map((one) => ({ ...one, readKeys })));
    } finally {
      for (const bytes of files) bytes.fill(0);
    }
  }

  #skip(path: string, reason: string): void {
    this.unusable.push({ path, reason, isFault: false });
  }
}

/** Contents of those of the files that are there. Throws Unusable that names the file for one that cannot be read. */
async function readPresent(files: readonly string[]): Promise<Buffer[]> {
  const contents: Buffer[] = [];
  for (const file of files) {
    if (!(await isPresent(file))) continue;
    try {
      contents.push(await readBounded(file, maxPemBytes));
    } catch (error) {
      throw error instanceof Unusable ? new Unusable(`${file}: ${error.message}`) : error;
    }
  }
  return contents;
}
