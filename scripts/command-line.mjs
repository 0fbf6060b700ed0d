// Writes docs/commands.md, and the generated tables of docs/command-line.md, from the commands of certloop and from the
// contracts; with --check it only says whether they are what the source says.
import { readFileSync, writeFileSync } from 'node:fs';
import { processIo } from '../packages/cli/dist/src/io.js';
import { operationTables } from '../packages/cli/dist/src/operations.js';
import { createProgram } from '../packages/cli/dist/src/program.js';
import {
  aliasesOf,
  argumentText,
  leavesOf,
  optionText,
  usageOf,
  visibleCommands,
  visibleOptions,
} from '../packages/cli/dist/src/reference/describe.js';
import { environment } from '../packages/cli/dist/src/reference/environment.js';
import { examplesOf } from '../packages/cli/dist/src/reference/examples.js';

const root = new URL('..', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const program = createProgram([], processIo(), () => undefined);
const commands = visibleCommands(program);

/** Text of a cell or a sentence: what Markdown would read as its own is escaped. */
const text = (sentence) => sentence.replaceAll(/[|<*]/g, '\\$&');
const code = (words) => `\`${words.replaceAll('|', '\\|')}\``;

/** Other names of a command, as a sentence after another one. */
function aliasText(name, command) {
  return aliasesOf(name, command)
    .map((alias) => ` ${code(`certloop ${alias}`)} is the same command.`)
    .join('');
}

/** Options with their sentences, as a list. */
function optionList(command) {
  return visibleOptions(command).map(
    (option) => `- ${code(option.flags)}: ${text(optionText(command, option))}`,
  );
}

function leafSection({ name, command, isDefault }, level) {
  const args = command.registeredArguments
    .map((argument) => [argument, argumentText(command, argument)])
    .filter(([, sentence]) => sentence !== '')
    .map(([argument, sentence]) => `- ${code(argument.name())}: ${text(sentence)}`);
  const noun = name.split(' ', 1)[0];
  const list = [...args, ...optionList(command)];
  return [
    `${level} certloop ${name}`,
    '',
    `${code(`certloop ${name} ${usageOf(command)}`.trim())}`,
    '',
    `${text(command.description())}.${isDefault ? ` ${code(`certloop ${noun}`)} alone does the same.` : ''}${aliasText(name, command)}`,
    '',
    ...(list.length === 0 ? [] : [...list, '']),
  ];
}

function commandSection(command) {
  const leaves = leavesOf(command);
  const isNoun = leaves.length > 1 || leaves[0].command !== command;
  const shown = examplesOf(command.name()).map(
    ({ line, what }) => `${line}${what === undefined ? '' : `   # ${what}`}`,
  );
  return [
    ...(isNoun
      ? [
          `## certloop ${command.name()}`,
          '',
          `${text(command.description())}.${aliasText(command.name(), command)}`,
          '',
          ...leaves.flatMap((leaf) => leafSection(leaf, '###')),
        ]
      : leafSection(leaves[0], '##')),
    ...(shown.length === 0 ? [] : ['```sh', ...shown, '```', '']),
  ];
}

const reference = [
  '# Commands of certloop',
  '',
  'This page lists every command with its options, as `--help` and the manual (`man certloop-fqdns`) do. [The command line](command-line.md) explains how to use them. `npm run docs:commands` generates this page from the source code; a test runs the examples.',
  '',
  '## Options of every command',
  '',
  ...optionList(program),
  '',
  '```text',
  environment.trim(),
  '```',
  '',
  ...commands.flatMap(commandSection),
];

/** Nouns with their verbs, and the commands that are a verb alone. */
function verbTable() {
  const nouns = commands.filter((command) => visibleCommands(command).length > 0);
  const rows = nouns.map((command) => {
    const verbs = visibleCommands(command).map((verb) => code(verb.name()));
    return `| ${code(command.name())} | ${verbs.join(', ')} | ${text(command.description())} |`;
  });
  const alone = commands
    .filter((command) => !nouns.includes(command))
    .map((command) => `[${code(command.name())}](commands.md#certloop-${command.name()})`);
  return [
    '| Noun | Verbs | |',
    '|---|---|---|',
    ...rows,
    '',
    `Commands without a verb: ${alone.join(', ')}.`,
  ].join('\n');
}

/** Each operation of the contracts with its command, or the reason why there is none. */
function operationTable() {
  return operationTables
    .map(({ service, contract, reached }) => {
      const rows = Object.entries(contract).map(([name, { method, path }]) => {
        const { command, reason } = reached[name];
        const how = command === undefined ? text(reason) : code(`certloop ${command}`);
        return `| ${code(name)} | ${code(`${method} ${path}`)} | ${how} |`;
      });
      return [
        `### ${service}`,
        '',
        '| Operation | Request | Command, or why there is none |',
        '|---|---|---|',
        ...rows,
      ].join('\n');
    })
    .join('\n\n');
}

/** A page with what stands between two marks replaced. */
function withGenerated(page, name, content) {
  const [from, to] = [`<!-- ${name}: generated by npm run docs:commands -->`, `<!-- end of ${name} -->`];
  const [before, rest = ''] = page.split(from);
  const [, after] = rest.split(to);
  if (after === undefined) throw new Error(`docs/command-line.md has no marks of ${name}`);
  return `${before}${from}\n\n${content}\n\n${to}${after}`;
}

const guide = [
  ['verbs', verbTable()],
  ['operations', operationTable()],
].reduce((page, [name, content]) => withGenerated(page, name, content), read('docs/command-line.md'));

for (const [path, content] of [
  ['docs/commands.md', `${reference.join('\n').trimEnd()}\n`],
  ['docs/command-line.md', guide],
]) {
  if (!process.argv.includes('--check')) {
    writeFileSync(new URL(path, root), content);
  } else if (read(path) !== content) {
    process.stderr.write(`${path} is out of date: run npm run docs:commands\n`);
    process.exitCode = 1;
  }
}
