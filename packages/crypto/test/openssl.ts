import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether the machine has OpenSSL 3 or later on its path; suites that need it are skipped without. */
export const hasOpenssl = /^OpenSSL [3-9]/.test(
  spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '',
);

/** A folder of its own in which OpenSSL runs; `close` removes it. */
export class OpensslFolder {
  readonly #folder = mkdtempSync(join(tmpdir(), 'certloop-crypto-'));

  /** Standard output of the command; throws when it fails. */
  run(...args: string[]): string {
    return execFileSync('openssl', args, { cwd: this.#folder, encoding: 'utf8', stdio: 'pipe' });
  }

  has(name: string): boolean {
    return existsSync(join(this.#folder, name));
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.#folder, name), content);
  }

  read(name: string): string {
    return readFileSync(join(this.#folder, name), 'utf8');
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
