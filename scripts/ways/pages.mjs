// Reads the commands of pages and runs them as a reader does: unchanged, in a shell, with no variables but PATH and HOME.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pause, project, state } from './container.mjs';

const environment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME });

/** The code blocks of a section of a page. Throws if it has another number of blocks than the caller knows. */
export function blocksOf(page, title, language, count) {
  const sections = readFileSync(join(project, page), 'utf8').split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))];
  if (blocks.length !== count)
    throw new Error(
      `${page}: "${title}" has ${blocks.length} blocks of ${language}, not ${count}: change ways.mjs`,
    );
  return blocks.map(([, block]) => block);
}

/** Writes a block whose first line names its file. */
export function writeBlock(block) {
  const [, file] = /^# (\S+)\n/.exec(block);
  mkdirSync(join(project, dirname(file)), { recursive: true });
  writeFileSync(join(project, file), block);
}

/** Runs a block to its end; resolves with what it printed. Throws with all that it said if a command fails. */
export async function finish(block, log = undefined) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', block], {
    cwd: project,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let all = '';
  const collect = (isOut) => (text) => {
    if (isOut) out += text;
    all += text;
  };
  child.stdout.setEncoding('utf8').on('data', collect(true));
  child.stderr.setEncoding('utf8').on('data', collect(false));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (log !== undefined) writeFileSync(log, all, { flag: 'a' });
  if (code !== 0) throw new Error(`ended with ${code}:\n${block}\n${all}`);
  return out;
}

/** Starts a block that runs until it is interrupted, in a terminal of its own. */
export function begin(block, name) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', block], {
    cwd: project,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const file = join(state, 'log', `${name}.log`);
  const log = createWriteStream(file, { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const closed = new Promise((resolve) => child.once('close', resolve));
  return {
    log: file,
    hasEnded: () => child.exitCode !== null,
    stop: () => {
      // Ctrl-C goes to the whole group
      process.kill(-child.pid, 'SIGINT');
      return closed;
    },
  };
}

/** Resolves once a terminal has shown a text so many times. Throws with all that it shows if its program ends before. */
export async function printed({ log, hasEnded }, text, times) {
  for (;;) {
    const shown = existsSync(log) ? readFileSync(log, 'utf8') : '';
    if (shown.split(text).length > times) return;
    if (hasEnded()) throw new Error(`ended before it showed "${text}":\n${shown}`);
    await pause(100);
  }
}
