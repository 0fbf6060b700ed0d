import { csvLine } from '@certloop/contracts';
import { query } from 'jsonpath-rfc9535';
import type { Io } from '../io.js';
import type { Format } from './format.js';
import { createPaint } from './paint.js';
import { formatFacts, formatTable, plainText, type Row } from './table.js';
import { visibleJson, visibleYaml } from './visible-text.js';

/** Output options of a command. */
export interface OutputSettings {
  readonly format: Format;
  /** Only the requested data: no messages, warnings or progress. */
  readonly isQuiet: boolean;
}

export interface ListOptions {
  /** Columns that only `-o wide` and `-o csv` show. */
  readonly wide?: readonly string[];
}

/** Prints results, for programs or for people. */
export interface Report {
  /** A list: the response of the service, or these rows of it. */
  list<T>(things: readonly T[], rowOf: (thing: T) => Row, options?: ListOptions): void;
  /** One object of a list that has no end: a line for people, one line of JSON for programs. */
  line<T>(thing: T, row: Row): void;
  /** One object. */
  thing<T>(thing: T, rowOf: (thing: T) => Row): void;
  /** That an action succeeded; for programs, the changed object. */
  done(sentence: string, thing: unknown): void;
  /** A requested text, such as a certificate; for programs, the whole object. */
  text(text: string | Uint8Array, thing: unknown): void;
  /** Additional information for people, on standard error; nothing for programs. */
  warn(sentence: string): void;
}

export function createReport(io: Io, { format, isQuiet }: OutputSettings): Report {
  const { out, err } = io;
  const write = (text: string | Uint8Array) => void out.write(text);
  const paint = createPaint(io);
  const encode = encoderOf(format);
  return {
    list: (things, rowOf, { wide = [] } = {}) => {
      const rows = things.map(rowOf);
      if (encode !== undefined) return write(encode(things, rows));
      if (rows.length === 0) return isQuiet ? undefined : write('none\n');
      if (format.kind === 'wide') return write(formatTable(rows, { paint }));
      write(
        formatTable(
          rows.map((row) => without(row, wide)),
          { columns: out.isTTY ? out.columns : undefined, paint },
        ),
      );
    },
    line: (thing, row) => {
      if (format.kind === 'json') return write(`${visibleJson(thing)}\n`);
      write(
        encode === undefined ? `${Object.values(row).map(plainText).join('  ')}\n` : encode([thing], [row]),
      );
    },
    thing: (thing, rowOf) =>
      write(encode === undefined ? formatFacts(rowOf(thing), paint) : encode(thing, [rowOf(thing)])),
    done: (sentence, thing) => {
      if (encode !== undefined) return write(encode(thing, [scalarsOf(thing)]));
      if (!isQuiet) write(`${sentence}\n`);
    },
    text: (text, thing) => write(encode === undefined ? text : encode(thing, [scalarsOf(thing)])),
    warn: (sentence) => {
      const isForProgram = ['json', 'yaml', 'jsonpath'].includes(format.kind);
      if (!isQuiet && !isForProgram) err.write(`certloop: ${sentence}\n`);
    },
  };
}

type Encode = (value: unknown, rows: readonly Row[]) => string;

/** Undefined for people. */
function encoderOf(format: Format): Encode | undefined {
  switch (format.kind) {
    case 'json':
      return (value) => `${visibleJson(value, 2)}\n`;
    case 'yaml':
      return visibleYaml;
    case 'csv':
      return (_value, rows) => formatCsv(rows);
    case 'name':
      return (value, rows) =>
        [value]
          .flat()
          .map((thing, index) => `${plainText(nameOf(thing, rows[index]))}\n`)
          .join('');
    case 'jsonpath':
      return (value) =>
        query(JSON.parse(JSON.stringify(value)), format.expression)
          .map((found) => `${typeof found === 'string' ? plainText(found) : visibleJson(found)}\n`)
          .join('');
    default:
      return undefined;
  }
}

/** Returns what identifies an object in other commands: its name, otherwise its id. */
function nameOf(thing: unknown, row: Row = {}): unknown {
  const members = (typeof thing === 'object' && thing !== null ? thing : {}) as Row;
  const known = ['fqdn', 'name', 'username', 'id', 'uuid', 'unique_key', 'command'];
  const found = known.map((name) => members[name]).find((value) => value !== undefined && value !== '');
  return found ?? Object.values(row)[0];
}

function without(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** The members of an object that are single values. */
function scalarsOf(thing: unknown): Row {
  if (typeof thing !== 'object' || thing === null) return { value: thing };
  return Object.fromEntries(Object.entries(thing).filter(([, value]) => typeof value !== 'object'));
}

/**
 * Rows as RFC 4180 has them, headings first; '' if there are none. A cell has its line breaks, but no other control
 * characters, and a text that a spreadsheet would run begins with an apostrophe.
 */
export function formatCsv(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return '';
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  // a negative number is no formula
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const lines = text.split(/\r\n|\r|\n/).map(plainText);
  return csvLine([lines.join('\n')]).slice(0, -2);
}
