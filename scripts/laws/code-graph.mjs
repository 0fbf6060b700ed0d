// What the functions of an app use, read from the syntax tree: enough to judge laws that imports alone cannot show.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from '@swc/core';

const opensTransaction = /^(transaction|longTransaction)$/;
// those that may answer without a turn of the event loop; long reads have a thread
const callsDatabase = /^(transaction|longTransaction|read)$/;
const database = /^(db|database)$/;
const loop = /^(For|ForIn|ForOf|While|DoWhile)Statement$/;

/**
 * The declarations at the top of each source file below `folder` (tests and migrations apart), by `file#name`. Each is
 * { file, name, isExported, parameters, uses, withinTransaction, opens, callsDatabase, loops }: `parameters` are the names and types of a
 * function's parameters; `uses` and `withinTransaction` are { names, members } of the whole declaration, and of what it
 * hands to a call of `transaction`; `uses.properties` are the names of properties that it reads or writes; `opens` says
 * that there is such a call; `callsDatabase` says that there is one of the database; `loops` are { names, callsDatabase,
 * awaitsStore } of each loop that awaits something and is not one over `yieldBetween`, local functions included, and of
 * what `Promise.all` does with each item of a list; `awaitsStore` says that the loop itself awaits a method of what is
 * handed in, outside of transactions. A name is resolved to `file#name` where a source file declares it, and to
 * `module#name` where another module does; members are texts such as `Date.now()`.
 */
export function readCode(folder) {
  const declarations = new Map();
  for (const file of sourcesBelow(folder)) {
    for (const declaration of declarationsOf(folder, file)) {
      declarations.set(`${file}#${declaration.name}`, declaration);
    }
  }
  return declarations;
}

/** Everything that a name leads to, itself included: names of declarations, of modules, and members. */
export function reach(declarations, { names, members }) {
  const reached = { names: new Set(), members: new Set(members) };
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.names.has(name)) continue;
    reached.names.add(name);
    const declaration = declarations.get(name);
    if (declaration === undefined) continue;
    waiting.push(...declaration.uses.names);
    for (const member of declaration.uses.members) reached.members.add(member);
  }
  return reached;
}

function sourcesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)(migrations|test)\//.test(file))
    .sort();
}

function declarationsOf(folder, file) {
  const { body } = parseSync(readFileSync(join(folder, file), 'utf8'), {
    syntax: 'typescript',
    target: 'es2023',
  });
  const scope = new Map();
  const found = [];
  for (const item of body) {
    if (item.type === 'ImportDeclaration') {
      if (item.typeOnly) continue;
      const source = moduleOf(folder, file, item.source.value);
      for (const { local, imported, isTypeOnly } of item.specifiers) {
        if (isTypeOnly !== true) scope.set(local.value, `${source}#${imported?.value ?? local.value}`);
      }
      continue;
    }
    const isExported = item.type.startsWith('Export');
    const declaration = item.declaration ?? item.decl ?? item;
    for (const [name, node] of namedParts(declaration)) found.push({ name, node, isExported });
  }
  for (const { name } of found) scope.set(name, `${file}#${name}`);
  return found.map(({ name, node, isExported }) => {
    const uses = { names: new Set(), members: new Set(), properties: new Set() };
    const withinTransaction = { names: new Set(), members: new Set() };
    const state = { scope, uses, withinTransaction, opens: false };
    visit(node, state, false);
    const parameters = parametersOf(node);
    const locals = localFunctionsOf(node);
    const { callsDatabase } = callsOf(node, scope, locals);
    const handedIn = namesHandedTo(node);
    const loops = awaitingLoopsOf(node).map((parts) => ({
      ...callsOf(parts, scope, locals),
      awaitsStore: awaitedIn(parts).some(({ argument }) => isCallOfStore(argument, handedIn)),
    }));
    return {
      ...{ file, name, isExported, parameters, uses, withinTransaction, opens: state.opens },
      ...{ callsDatabase, loops },
    };
  });
}

function moduleOf(folder, file, specifier) {
  if (!specifier.startsWith('.')) return specifier;
  const path = normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
  return existsSync(join(folder, path)) ? path : specifier;
}

function* namedParts(declaration) {
  if (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') {
    yield [declaration.identifier.value, declaration];
  } else if (declaration.type === 'VariableDeclaration') {
    for (const { id, init } of declaration.declarations) {
      if (id.type === 'Identifier' && init) yield [id.value, init];
    }
  }
}

function parametersOf(node) {
  return (node.params ?? []).map((parameter) => {
    const pattern = parameter.pat ?? parameter;
    const type = pattern.typeAnnotation?.typeAnnotation?.typeName?.value;
    return { name: pattern.value, type };
  });
}

function visit(node, state, isWithin) {
  if (Array.isArray(node)) {
    for (const part of node) visit(part, state, isWithin);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  const type = node.type ?? '';
  if (
    type.startsWith('Ts') &&
    !['TsAsExpression', 'TsSatisfiesExpression', 'TsNonNullExpression'].includes(type)
  )
    return;
  if (type === 'Identifier') useName(node.value, state, isWithin);
  for (const property of propertiesOf(node)) state.uses.properties.add(property);
  if (type === 'NewExpression' && node.callee.value === 'Date' && node.arguments.length === 0) {
    useMember('new Date()', state, isWithin);
  }
  if (type === 'MemberExpression') {
    useMember(textOf(node), state, isWithin);
    visit(node.object, state, isWithin);
    if (node.property.type === 'Computed') visit(node.property.expression, state, isWithin);
    return;
  }
  if (type === 'CallExpression') {
    const method = node.callee.type === 'MemberExpression' ? node.callee.property.value : undefined;
    const isTransaction = method !== undefined && opensTransaction.test(method);
    if (isTransaction) state.opens = true;
    visit(node.callee, state, isWithin);
    visit(node.arguments, state, isWithin || isTransaction);
    return;
  }
  for (const [key, part] of Object.entries(node)) {
    if (key !== 'span' && key !== 'typeAnnotation' && !(type === 'KeyValueProperty' && key === 'key')) {
      visit(part, state, isWithin);
    }
  }
}

/** Names of the properties that an expression, or a part of an object or a pattern, reads or writes. */
function propertiesOf(node) {
  switch (node.type) {
    case 'MemberExpression': {
      const { property } = node;
      return [property.type === 'Computed' ? property.expression.value : property.value].filter(isText);
    }
    case 'ObjectExpression':
    case 'ObjectPattern':
      // a shorthand is an identifier
      return node.properties.map((part) => (part.key ?? part).value).filter(isText);
    default:
      return [];
  }
}

const isText = (value) => typeof value === 'string';

function useName(name, { scope, uses, withinTransaction }, isWithin) {
  const resolved = scope.get(name) ?? `global#${name}`;
  uses.names.add(resolved);
  if (isWithin) withinTransaction.names.add(resolved);
}

function useMember(text, { uses, withinTransaction }, isWithin) {
  uses.members.add(text);
  if (isWithin) withinTransaction.members.add(text);
}

function textOf(node) {
  if (node.type === 'MemberExpression') return `${textOf(node.object)}.${node.property.value ?? '*'}`;
  if (node.type === 'Identifier') return node.value;
  return node.type === 'ThisExpression' ? 'this' : '*';
}

/** Every node below `node`, itself included, types apart; what `enters` refuses is left out. */
function* nodesOf(node, enters = () => true) {
  if (Array.isArray(node)) {
    for (const part of node) yield* nodesOf(part, enters);
    return;
  }
  if (node === null || typeof node !== 'object' || !enters(node)) return;
  yield node;
  for (const [key, part] of Object.entries(node)) {
    if (key !== 'span' && key !== 'typeAnnotation') yield* nodesOf(part, enters);
  }
}

const isFunction = ({ type }) =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);

/** Functions that are declared within `node` and what is made by a `create…` there, by name. */
function localFunctionsOf(node) {
  const locals = new Map();
  for (const part of nodesOf(node)) {
    if (part.type === 'FunctionDeclaration' && part !== node) locals.set(part.identifier.value, part);
    if (part.type !== 'VariableDeclarator' || part.id.type !== 'Identifier' || !part.init) continue;
    const isMade = part.init.type === 'CallExpression' && /^create[A-Z]/.test(part.init.callee.value ?? '');
    if (isFunction(part.init) || isMade) locals.set(part.id.value, part.init);
  }
  return locals;
}

/** What the loops of `node` repeat, of those that await something and are not over `yieldBetween`. */
function awaitingLoopsOf(node) {
  const found = [];
  for (const part of nodesOf(node)) {
    if (part.type === 'CallExpression' && /^Promise\.all(Settled)?$/.test(textOf(part.callee))) {
      const each = part.arguments[0]?.expression;
      if (each?.callee?.property?.value === 'map') found.push(each.arguments);
    }
    if (!loop.test(part.type ?? '') || part.right?.callee?.value === 'yieldBetween') continue;
    const repeated = [part.test, part.update, part.body];
    if (awaitedIn(repeated).length > 0) found.push(repeated);
  }
  return found;
}

/** What is awaited there, and not in a function within. */
function awaitedIn(parts) {
  const own = nodesOf(parts, (inner) => !isFunction(inner));
  return [...own].filter(({ type }) => type === 'AwaitExpression');
}

/** Names that a function takes out of its parameters, or of `deps`, such as `{ db, clock }`. */
function namesHandedTo(node) {
  const patterns = (node.params ?? []).map((parameter) => parameter.pat ?? parameter);
  for (const { type, id, init } of nodesOf(node))
    if (type === 'VariableDeclarator' && init?.value === 'deps') patterns.push(id);
  const properties = patterns.flatMap((pattern) => pattern.properties ?? []);
  return new Set(properties.map(({ key, value }) => (value ?? key)?.value));
}

/** Whether it is such as `deps.counts.read(id)`, or `counts.read(id)` where `counts` is handed in. */
function isCallOfStore({ type, callee, arguments: given }, handedIn) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression') return false;
  const { object } = callee;
  const isHandedIn =
    object.type === 'Identifier' ? handedIn.has(object.value) : /^deps\.\w+$/.test(textOf(object));
  return isHandedIn && !isDatabase(object) && !given.some(({ expression }) => expression.value === 'tx');
}

/** Names that `node` uses, also in the local functions that it uses, and whether the database is called there. */
function callsOf(node, scope, locals) {
  const calls = { names: new Set(), callsDatabase: false };
  const followed = new Set();
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const part of nodesOf(next)) {
      if (part.type === 'CallExpression' && isCallOfDatabase(part.callee)) calls.callsDatabase = true;
      if (part.type !== 'Identifier') continue;
      const local = locals.get(part.value);
      if (local === undefined && scope.has(part.value)) calls.names.add(scope.get(part.value));
      if (local === undefined || followed.has(part.value)) continue;
      followed.add(part.value);
      waiting.push(local);
    }
  }
  return calls;
}

/** Whether it is such as `db.read` or `deps.db.transaction`. */
function isCallOfDatabase({ type, object, property }) {
  if (type !== 'MemberExpression' || !callsDatabase.test(property.value ?? '')) return false;
  return isDatabase(object);
}

function isDatabase({ type, value, property }) {
  return database.test(type === 'MemberExpression' ? property.value : value);
}
