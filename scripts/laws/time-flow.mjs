// Where readings of the real clock flow within a file: from expressions to names, properties, and what functions return.

/** Kinds of values: nothing of a clock, a moment that was read, and what is calculated from one by + or -. */
const [none, moment, span] = [0, 1, 2];

const reading = /^(performance\.now|Date\.now|process\.(hrtime|hrtime\.bigint|uptime))$/;
const passing = /^(Math\.\w+|Number|BigInt)$/;
const relation = /^(toBeLessThan|toBeGreaterThan|toBeLessThanOrEqual|toBeGreaterThanOrEqual|toBeCloseTo)$/;
const wrapper = /^(AwaitExpression|UnaryExpression|ParenthesisExpression|Ts(As|NonNull|Const|Satisfies)\w*)$/;
const functionType =
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ClassMethod|MethodProperty)$/;
const scopeType = /^(BlockStatement|For(Of|In)?Statement|CatchClause|SwitchStatement)$/;
const asserts =
  'asserts how much time passes; the conventions of CONTRIBUTING.md name what to assert instead';
const limits =
  'sets a limit of its own; vitest.config.mjs has the one that ends hangs, and a longer one is a multiple of hangMs';
export const waits =
  'waits for a moment; wait for a state by `until` of @certloop/contracts/testing, or move the clock';

class Binding {
  kind = none;
  returns = none;
  origin = undefined;
  /** The promise that this function resolves. */
  resolves = undefined;

  of(what) {
    return Math.max(this[what], this.origin?.of(what) ?? none);
  }
}

/** Names of a part of a file; the innermost counts. */
class Scope {
  names = new Map();
  constructor(parent) {
    this.parent = parent;
  }
  declare(name) {
    const known = this.names.get(name) ?? new Binding();
    this.names.set(name, known);
    return known;
  }
  find(name) {
    return this.names.get(name) ?? this.parent?.find(name);
  }
}

/** What of a file matters: its top names, its imports, how kinds flow in it, its assertions, and what is refused anyhow. */
export function collect(body) {
  const file = new FileOfTests();
  file.visitAll(body, file.scope, undefined);
  return { top: file.scope.names, ...file };
}

class FileOfTests {
  scope = new Scope(undefined);
  properties = new Scope(undefined);
  imports = [];
  flows = [];
  assertions = [];
  refused = [];
  /** What functions return, and what promises resolve with, by their nodes. */
  results = new Map();
  /** Promises by their executors. */
  executed = new Map();

  /** Declares the names of a part first, since functions use what stands below them. */
  visitAll(nodes, scope, owner) {
    for (const node of nodes) this.declareIn(node?.declaration ?? node, scope);
    for (const node of nodes) this.visit(node, scope, owner);
  }

  declareIn(node, scope) {
    if (node?.type === 'FunctionDeclaration') scope.declare(node.identifier.value);
    for (const { id } of node?.type === 'VariableDeclaration' ? node.declarations : []) {
      for (const name of namesOf(id)) scope.declare(name);
    }
    if (node?.type !== 'ImportDeclaration') return;
    for (const { local, imported } of node.specifiers) {
      const name = imported?.value ?? local.value;
      this.imports.push({ binding: scope.declare(local.value), source: node.source.value, name });
    }
  }

  visit(node, scope, owner) {
    if (Array.isArray(node)) return this.visitAll(node, scope, owner);
    if (node === null || typeof node !== 'object') return;
    if (functionType.test(node.type)) return this.visitFunction(node, scope);
    this.note(node, scope, owner);
    const inner = scopeType.test(node.type) ? new Scope(scope) : scope;
    for (const part of ['init', 'left', 'param']) this.declareIn(node[part], inner);
    for (const [key, part] of Object.entries(node)) if (key !== 'span') this.visit(part, inner, owner);
  }

  visitFunction(node, scope) {
    const inner = new Scope(scope);
    const returned = this.resultOf(node);
    const promise = this.executed.get(node);
    const own = node.identifier ? scope.find(node.identifier.value) : undefined;
    if (own !== undefined) this.flow(own, 'returns', () => returned.of('kind'));
    for (const [place, parameter] of (node.params ?? node.function?.params ?? []).entries()) {
      const pattern = parameter.pat ?? parameter;
      for (const name of namesOf(pattern)) inner.declare(name);
      if (place === 0 && promise !== undefined) inner.declare(pattern.value).resolves = promise;
    }
    const { body } = node;
    if (body?.type !== 'BlockStatement' && body) this.flow(returned, 'kind', () => this.kindOf(body, inner));
    this.visit(body?.type === 'BlockStatement' ? body.stmts : [body], inner, returned);
  }

  resultOf(node) {
    const known = this.results.get(node) ?? new Binding();
    this.results.set(node, known);
    return known;
  }

  flow(binding, what, kind) {
    this.flows.push(() => {
      const before = binding[what];
      binding[what] = Math.max(before, kind());
      return binding[what] > before;
    });
  }

  note(node, scope, owner) {
    const { type } = node;
    if (type === 'VariableDeclarator' && node.init) this.assign(node.id, node.init, scope);
    if (type === 'AssignmentExpression') this.assign(node.left, node.right, scope);
    if (type === 'KeyValueProperty') this.assignProperty(node.key.value, node.value, scope);
    if (type === 'ReturnStatement' && node.argument && owner) {
      this.flow(owner, 'kind', () => this.kindOf(node.argument, scope));
    }
    if (type === 'NewExpression' && node.callee.value === 'Promise' && node.arguments?.length > 0) {
      this.executed.set(node.arguments[0].expression, this.resultOf(node));
    }
    if (type === 'CallExpression') this.noteCall(node, scope);
  }

  noteCall(node, scope) {
    const { callee, arguments: given } = node;
    const text = textOf(callee);
    const promise = callee.type === 'Identifier' ? scope.find(callee.value)?.resolves : undefined;
    if (promise && given.length > 0)
      this.flow(promise, 'kind', () => this.kindOf(given[0].expression, scope));
    const isAssert = /^assert(\.ok)?$/.test(text) || text === 'expect';
    if (isAssert && given.length > 0)
      this.noteAssertion(node, () => this.compares(given[0].expression, scope));
    const subject = relation.test(callee.property?.value ?? '') ? expectedOf(callee.object) : undefined;
    if (subject !== undefined) {
      const values = [...subject, ...given].map(({ expression }) => expression);
      this.noteAssertion(node, () => values.some((value) => this.kindOf(value, scope) === span));
    }
    if (/\.waitForTimeout$/.test(text)) this.refused.push({ node, what: waits });
    const isBounded = limitsOf(callee, given).every((limit) => mentions(limit, 'hangMs'));
    if (!isBounded) this.refused.push({ node, what: limits });
  }

  noteAssertion(node, isBroken) {
    this.assertions.push({ node, isBroken, what: asserts });
  }

  /** Whether an expression compares spans of time. */
  compares(node, scope) {
    if (node.type !== 'BinaryExpression') return false;
    const sides = [node.left, node.right];
    if (/^[<>]=?$/.test(node.operator)) return sides.some((side) => this.kindOf(side, scope) === span);
    return sides.some((side) => this.compares(side, scope));
  }

  assign(target, value, scope) {
    if (target.type === 'Identifier') {
      const binding = scope.find(target.value);
      if (binding === undefined) return;
      this.flow(binding, 'kind', () => this.kindOf(value, scope));
      this.flow(binding, 'returns', () => this.returnsOf(value, scope));
    } else if (target.type === 'MemberExpression') this.assignProperty(target.property.value, value, scope);
    else if (target.type === 'ArrayPattern') this.assignElements(target.elements, value, scope);
    else if (target.type === 'ObjectPattern') {
      for (const { key, value: inner } of target.properties) {
        const own = inner?.type === 'Identifier' ? inner : key;
        const binding = own && scope.find(own.value);
        if (binding) this.flow(binding, 'kind', () => this.properties.find(key.value)?.kind ?? none);
      }
    }
  }

  assignElements(elements, value, scope) {
    for (const [place, element] of elements.entries()) {
      const given = value.type === 'ArrayExpression' ? value.elements[place]?.expression : value;
      if (element && given) this.assign(element, given, scope);
    }
  }

  assignProperty(name, value, scope) {
    if (typeof name !== 'string') return;
    this.flow(this.properties.declare(name), 'kind', () => this.kindOf(value, scope));
  }

  /** What a call of the value returns. */
  returnsOf(node, scope) {
    if (node.type === 'Identifier') return scope.find(node.value)?.of('returns') ?? none;
    return functionType.test(node.type) ? this.resultOf(node).kind : none;
  }

  kindOf(node, scope) {
    if (!node) return none;
    if (wrapper.test(node.type)) return this.kindOf(node.argument ?? node.expression, scope);
    switch (node.type) {
      case 'Identifier':
        return scope.find(node.value)?.of('kind') ?? none;
      case 'MemberExpression':
        return Math.max(
          this.kindOf(node.object, scope),
          this.properties.find(node.property.value)?.kind ?? none,
        );
      case 'NewExpression':
        return this.kindOfNew(node, scope);
      case 'CallExpression':
        return this.kindOfCall(node, scope);
      case 'ConditionalExpression':
        return Math.max(this.kindOf(node.consequent, scope), this.kindOf(node.alternate, scope));
      case 'BinaryExpression':
        return this.kindOfOperation(node, scope);
      default:
        return none;
    }
  }

  kindOfNew(node, scope) {
    if (node.callee.value !== 'Date') return this.results.get(node)?.kind ?? none;
    const [given] = node.arguments ?? [];
    return given === undefined ? moment : this.kindOf(given.expression, scope);
  }

  kindOfCall({ callee, arguments: given }, scope) {
    const text = textOf(callee);
    if (reading.test(text)) return text === 'process.hrtime' && given.length > 0 ? span : moment;
    const kinds = given.map(({ expression }) => this.kindOf(expression, scope));
    if (passing.test(text)) return Math.max(none, ...kinds);
    if (callee.type === 'Identifier') return scope.find(callee.value)?.of('returns') ?? none;
    const isOfValue = /^(getTime|valueOf|toFixed)$/.test(callee.property?.value ?? '');
    return isOfValue ? this.kindOf(callee.object, scope) : none;
  }

  kindOfOperation({ operator, left, right }, scope) {
    const kind = Math.max(this.kindOf(left, scope), this.kindOf(right, scope));
    if (operator === '+' || operator === '-')
      return kind === none || isText(left) || isText(right) ? none : span;
    return /^([*/%]|\*\*|\?\?|\|\||&&)$/.test(operator) ? kind : none;
  }
}

/** Places of a limit, and of options that may have one, in the arguments of what takes it. */
const limitPlaces = [
  [/^(before|after)(All|Each)$/, 1],
  [/^(test|it)\b/, 2],
];
const optionPlaces = [
  [/^vi\.setConfig$/, 0],
  [/^(test|it|describe)\b/, 1],
];

/** The limits that a call sets for a file, a hook or a test. */
function limitsOf(callee, given) {
  // of `test.each(rows)(…)`, and of `(isGiven ? test : test.skip)(…)`
  const text = textOf(callee.callee ?? callee.expression?.alternate ?? callee);
  const at = (places) =>
    places.filter(([name]) => name.test(text)).flatMap(([, place]) => given[place]?.expression ?? []);
  const options = at(optionPlaces).flatMap(({ properties = [] }) => properties);
  const named = options.filter(({ key, value }) => /timeout$/i.test(key?.value ?? value));
  return [...at(limitPlaces), ...named];
}

function mentions(node, name) {
  if (node === null || typeof node !== 'object') return false;
  return (
    (node.type === 'Identifier' && node.value === name) ||
    Object.values(node).some((part) => mentions(part, name))
  );
}

const isText = ({ type }) => type === 'StringLiteral' || type === 'TemplateLiteral';

function namesOf(pattern) {
  if (pattern?.type === 'Identifier') return [pattern.value];
  if (pattern?.type === 'ArrayPattern') return pattern.elements.flatMap(namesOf);
  if (pattern?.type === 'AssignmentPattern') return namesOf(pattern.left);
  if (pattern?.type === 'RestElement') return namesOf(pattern.argument);
  if (pattern?.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap(({ key, value, argument }) => namesOf(value ?? argument ?? key));
}

/** What `expect` was called with in a chain such as `expect(x).not`. */
function expectedOf(node) {
  if (node?.type === 'MemberExpression') return expectedOf(node.object);
  return node?.type === 'CallExpression' && node.callee.value === 'expect' ? node.arguments : undefined;
}

function textOf(node) {
  if (node.type === 'MemberExpression') return `${textOf(node.object)}.${node.property.value ?? '*'}`;
  return node.type === 'Identifier' ? node.value : '*';
}
