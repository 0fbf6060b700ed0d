import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { hasProgram } from '@certloop/server/testing';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const reason = 'the commands of docs/deploy.md are not run';

interface Answered {
  readonly question: string;
  readonly answer: unknown;
  readonly expected: unknown;
}

/** Whether this machine can hold another one: Linux, root, and the programs of scripts/ways. */
function canHoldMachines(): boolean {
  const programs = ['unshare', 'nsenter', 'setpriv', 'bash', 'curl', 'psql'];
  if (!programs.every((program) => hasProgram(program, reason)) || !hasProgram('ip', reason, ['-V']))
    return false;
  const empty = ['bash', 'scripts/ways/machine.sh', '/srv/certloop', 'true'];
  const tried = spawnSync('unshare', [...namespaces, ...empty], { cwd: root });
  if (tried.status !== 0)
    process.stderr.write(`SKIPPED: no namespaces and overlays for this user, so ${reason}\n`);
  return tried.status === 0;
}

const testIf = process.platform === 'linux' && canHoldMachines() ? test : test.skip;

/**
 * Runs the commands of a page as they stand in a machine of their own, and asks the questions of
 * scripts/ways/questions.mjs there. What scripts/ways/docker.mjs, kubectl.mjs and systemctl.mjs say of themselves is
 * stood in: these programs do by namespaces what theirs would do; images are not built, they are the built project.
 */
async function ask(way: string, place: string): Promise<readonly Answered[]> {
  // the second path is one of the copy of the project in that machine
  const command = ['scripts/ways/machine.sh', place, process.execPath, 'scripts/ways/drive.mjs', way];
  const child = spawn('unshare', [...namespaces, 'bash', ...command], {
    cwd: root,
    // when this process ends, its standard input does, and the machine with it
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [out, log, [code]] = await Promise.all([
    text(child.stdout as Readable),
    text(child.stderr as Readable),
    once(child, 'close'),
  ]);
  expect({ way, code, log: code === 0 ? '' : log }).toEqual({ way, code: 0, log: '' });
  return JSON.parse(out.trim().split('\n').at(-1) ?? '') as Answered[];
}

testIf.each([
  ['npm start', '/srv/certloop'],
  ['without containers', '/srv/certloop'],
  ['systemd', '/opt/certloop'],
  ['compose', '/srv/certloop'],
  ['scaled compose', '/srv/certloop'],
  ['kubernetes', '/srv/certloop'],
])('%s gives the same answers as the other ways to run', async (way, place) => {
  const answered = await ask(way, place);
  expect(answered.length).toBeGreaterThanOrEqual(20);
  const answers = answered.map(({ question, answer }) => ({ question, answer }));
  expect(answers).toEqual(answered.map(({ question, expected }) => ({ question, answer: expected })));
});
