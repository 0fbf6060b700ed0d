// A function that is longer than a screen does more than one thing: the services, packages, consoles, scripts and what
// supports tests have none. Files of suites and stories are left out, since each suite is a function.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

export const maxLines = 60;

const folders = /^((apps|packages|web)\/[^/]+\/(src|test)|scripts|bench)\//;
const isSuite = (file) => /\.test\.\w+$|\/test\/.*-(tests|stories)\.\w+$/.test(file);
const isSource = (file) => folders.test(file) && /\.(ts|tsx|mjs|cjs)$/.test(file) && !isSuite(file);

const isFunction =
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ClassMethod|PrivateMethod|Constructor|MethodProperty|GetterProperty|SetterProperty)$/;

/** The functions of a tree that are longer than `maxLines`, as `file#name: lines`. */
export function longFunctions(root) {
  return sourcesOf(root).flatMap((file) =>
    functionsOf(file, readFileSync(join(root, file)))
      .filter(({ lines }) => lines > maxLines)
      .map(({ name, lines }) => `${file}#${name}: ${lines}`),
  );
}

function sourcesOf(root) {
  return ['apps', 'packages', 'web', 'scripts', 'bench'].flatMap((folder) => filesBelow(root, folder)).sort();
}

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : filesBelow(root, path);
    return isSource(path) ? [path] : [];
  });
}

/** The functions of a file, each with the lines from its first word to its last brace. */
function functionsOf(file, bytes) {
  const tree = parseSync(bytes.toString(), {
    syntax: 'typescript',
    tsx: file.endsWith('x'),
    target: 'es2023',
  });
  const found = [];
  const visit = (node, nameOfParent) => {
    if (node === null || typeof node !== 'object') return;
    const name = nameOf(node) ?? nameOfParent;
    if (isFunction.test(node.type)) {
      // the spans of the parser count bytes from 1
      const text = bytes.subarray(node.span.start - 1, node.span.end - 1).toString();
      found.push({ name: name ?? 'without a name', lines: text.split('\n').length });
    }
    for (const part of Object.values(node)) visit(part, Array.isArray(node) ? nameOfParent : name);
  };
  visit(tree.body);
  return found;
}

/** The name that a node gives to the functions in it. */
function nameOf(node) {
  if (node.type === 'VariableDeclarator') return node.id.value;
  return node.identifier?.value ?? node.key?.value;
}
