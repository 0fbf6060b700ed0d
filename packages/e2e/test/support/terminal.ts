import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

export interface Terminal {
  /** Resolves as soon as the text has been shown, after what an earlier call waited for. */
  readonly shows: (text: string) => Promise<void>;
  readonly type: (keys: string) => void;
  /** All that was shown, once the command has ended. */
  readonly end: () => Promise<string>;
}

/** Runs a command of sh on a terminal of its own, by script of util-linux. */
export function openTerminal(command: string, env: Readonly<Record<string, string>>): Terminal {
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...env, SHELL: '/bin/sh' } });
  let shown = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const closed = once(child, 'close');
  return {
    shows: async (text) => {
      while (!shown.includes(text, read)) {
        if (child.exitCode !== null) throw new Error(`the command ended without ${text}: ${shown}`);
        await pause(20);
      }
      read = shown.indexOf(text, read) + text.length;
    },
    type: (keys) => void child.stdin.write(keys),
    end: async () => {
      await closed;
      return shown;
    },
  };
}
