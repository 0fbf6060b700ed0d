import { Argument, type CommandUnknownOpts as Command, type Option } from '@commander-js/extra-typings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCertloop } from './certloop.fixture.js';
import { createPem, onlyId, serveContracts } from './contract-service.fixture.js';
import { explainCode } from './faults/system-fault.js';
import { processIo } from './io.js';
import { operationTables } from './operations.js';
import { createProgram } from './program.js';

const program = createProgram([], processIo(), () => undefined);

interface Line {
  readonly command: Command;
  readonly path: readonly string[];
  readonly words: readonly string[];
}

/** A command line of each command that calls a service or reads a file. */
function lines(command: Command, path: readonly string[] = []): Line[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((each) => lines(each, [...path, each.name()]));
  const given = command.registeredArguments.map((argument) => valueFor(argument));
  const needed = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap((option) => [option.long ?? '', valueFor(option)]);
  return [{ command, path, words: [...path, ...given, ...needed] }];
}

const isFile = (value: Argument | Option) =>
  value instanceof Argument ? /^(file|csr)$/.test(value.name()) : value.flags.includes('<file');

function valueFor(value: Argument | Option): string {
  const kind = value instanceof Argument ? value.name() : value.flags;
  if (value.argChoices !== undefined) return value.argChoices[0] ?? '';
  if (isFile(value)) return '/dev/null';
  return /places?$/.test(kind) ? '127.0.0.1:2' : onlyId;
}

// they act on this machine, end only by a signal, or write for other programs
const outside = ['install', 'completion', 'complete-words', 'admin', 'run', 'pull', 'login', 'logout'];
const ugly = /unexpected fault|\bE[A-Z]{2,}\b|\n {4}at /;
const all = lines(program).filter(({ words: [first = ''] }) => !outside.includes(first));

let pem: string;
let service: Awaited<ReturnType<typeof serveContracts>>;
beforeAll(async () => {
  pem = await createPem();
  service = await serveContracts(pem);
});
afterAll(() => service.close());

const certloop = (words: readonly string[], io: Parameters<typeof runCertloop>[1]['io'] = {}) =>
  runCertloop(words, {
    io,
    env: {
      XDG_CONFIG_HOME: '/nonexistent',
      CERTLOOP_URL: service.url,
      CERTLOOP_TOKEN: 'clt_1',
      CERTLOOP_MONITOR_URL: service.url,
      CERTLOOP_MONITOR_KEY: 'x',
      CERTLOOP_MONITOR_EMAIL: 'anna@example.test',
      CERTLOOP_CA_URL: service.url,
    },
  });

describe('each list and each get', () => {
  const shown = all.filter(
    ({ command }) => /^(list|get)$/.test(command.name()) && command.parent?.name() !== 'contexts',
  );

  // one test for each format, since all of them take long on a busy machine
  test.each(['table', 'wide', 'json', 'yaml', 'name', 'csv', 'jsonpath=$'])(
    'is written as %s',
    async (format) => {
      expect(shown.length).toBeGreaterThan(25);
      for (const { words } of shown) {
        const { code, out } = await certloop([...words, '-o', format]);
        expect({ words, code, isEmpty: out.trim() === '' }).toEqual({ words, code: 0, isEmpty: false });
        const broken = /\[object|\bundefined\b|\bNaN\b/;
        expect({ words, out }).toEqual({ words, out: expect.not.stringMatching(broken) });
        if (format === 'json') expect(JSON.parse(out)).toEqual(expect.any(Object));
        if (format === 'yaml') expect(parse(out)).toEqual(expect.any(Object));
      }
    },
  );
});

describe('each file that a command reads', () => {
  const inputs = all.flatMap(({ command, path, words }) => [
    ...command.registeredArguments.flatMap((argument, index) =>
      isFile(argument) ? [words.with(path.length + index, '-')] : [],
    ),
    ...command.options
      .filter((option) => isFile(option) && option.long !== '--out')
      .map(({ long }) => [...words, long ?? '', '-']),
  ]);

  test.each(inputs)('is standard input for -: %s %s %s', async (...words) => {
    const read: string[] = [];
    const readText = async (file: string) => {
      read.push(file);
      return pem;
    };
    const { err } = await certloop(words, { readText });
    expect({ words, read, err }).toMatchObject({ words, read: expect.arrayContaining(['-']) });
    expect(err).not.toMatch(ugly);
  });

  test.each(['ENOENT', 'EISDIR', 'ENOTDIR', 'EACCES', 'EPIPE', 'EIO'])(
    'is named with the reason in words after %s',
    async (code) => {
      expect(inputs.length).toBeGreaterThan(18);
      const fault = Object.assign(new Error(`${code}: it failed, read`), { code, syscall: 'read' });
      for (const words of inputs) {
        const readText = async (file: string) => {
          if (file === '-') throw fault;
          return pem;
        };
        const said = await certloop(words, { readText });
        expect({ words, failed: said.code > 0 }).toEqual({ words, failed: true });
        expect({ words, written: said.out + said.err }).toEqual({
          words,
          written: expect.not.stringMatching(ugly),
        });
        expect({ words, written: said.out + said.err }).toEqual({
          words,
          written: expect.stringContaining(explainCode(code)),
        });
      }
    },
  );
});

describe('each duration and each moment', () => {
  const options = all.flatMap(({ command, words }) =>
    command.options
      .filter(({ flags }) => /<(duration|moment)>/.test(flags))
      .map((option) => [words.slice(0, 2).join(' '), option] as const),
  );

  test('is read as 1d and as 36h', () => {
    expect(options.length).toBeGreaterThan(12);
    for (const [command, { long, parseArg }] of options)
      for (const text of ['1d', '36h'])
        expect({ command, long, read: parseArg?.(text, undefined) }).toEqual({
          command,
          long,
          read: expect.anything(),
        });
  });

  test('is a number of days or seconds nowhere', () => {
    const plain = all
      .flatMap(({ command }) => command.options)
      .filter(({ flags }) => /<(days|seconds|hours|minutes|time|date)>/.test(flags));
    expect(plain.map(({ flags }) => flags)).toEqual([]);
  });
});

describe('the operations of the APIs', () => {
  const ofOne: Readonly<Record<string, string>> = {
    GET: 'get',
    PUT: 'update',
    POST: 'update',
    DELETE: 'delete',
  };
  const ofAll: Readonly<Record<string, string>> = { GET: 'list', POST: 'create' };
  const paths = operationTables.flatMap(({ contract }) => Object.values(contract).map(({ path }) => path));
  /**
   * Returns the verb for a method at a collection, which has paths of single things below it, or at one of its things.
   */
  const verbOf = (method: string, path: string): string | undefined => {
    const bare = path.replace(/\/$/, '');
    if (bare.endsWith('}')) return ofOne[method];
    return paths.some((other) => other.startsWith(`${bare}/{`)) ? ofAll[method] : undefined;
  };
  const nouns = new Map(program.commands.map((noun) => [noun.name(), noun]));
  const verbsOf = (noun: string) =>
    nouns.get(noun)?.commands.flatMap((command) => [command.name(), ...command.aliases()]) ?? [];

  test('list, get, create, update and delete by verbs of these names', () => {
    const seen: string[] = [];
    const missing = operationTables.flatMap(({ contract, reached }) =>
      Object.entries(contract).flatMap(([operation, { method, path }]) => {
        const how = reached[operation];
        const verb = verbOf(method, path);
        if (how === undefined || !('command' in how) || verb === undefined) return [];
        const [noun = '', own] = how.command.split(' ');
        if (own === undefined) return [];
        seen.push(operation);
        return verbsOf(noun).includes(verb) ? [] : [`${operation}: ${noun} ${verb}`];
      }),
    );
    expect(seen.length).toBeGreaterThan(40);
    expect(missing).toEqual([]);
  });
});

// where list takes an argument, such as the check of pings, a mistyped verb is one
const nouns = program.commands.filter(({ commands }) =>
  commands.some((verb) => verb.name() === 'list' && verb.registeredArguments.length === 0),
);

test.each(nouns.map((noun) => [noun.name()]))(
  '%s names its verbs after one that it does not have',
  async (name) => {
    const { code, out, err } = await certloop([name, 'lsit', 'x']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(
      new RegExp(
        `^certloop: ${name} has no command lsit; its commands are .*list.*; see certloop ${name} --help\\n$`,
      ),
    );
  },
);
