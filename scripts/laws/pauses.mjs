// Pauses of tests that wait for a moment: those that are awaited outside of loops. A loop that pauses waits for a state.

/** Pauses that are what a test is about, as `file: pause`, with the reason. */
export const meantPauses = {
  'apps/cert-manager/test/providers/create-provider.test.ts: new Promise((resolve) => setTimeout(resolve, 20))':
    'a server that takes time to respond',
  'apps/cert-manager/test/support/acme/scripted-acme.ts: new Promise((resolve) => setTimeout(resolve, settings.orderMs))':
    'a server that takes time to respond',
  'apps/cert-manager/test/support/dying-process.fixture.ts: new Promise((resolve) => setTimeout(resolve, 60_000))':
    'a process that lives until it is killed',
  'packages/db/test/long-work.test.ts: new Promise((resolve) => setTimeout(resolve, 1))':
    'a timer that must fire while the database works',
  'packages/db/test/silent-connections.test.ts: quiet()': 'connections that were idle for some time',
  'packages/e2e/test/failures/fail-over.test.ts: pause(1000)': 'a cluster that needs time to notice a fault',
  'packages/e2e/test/failures/fail-over.test.ts: pause(4000)': 'a server that is frozen for some time',
  'packages/e2e/test/failures/kill-mixed-work.test.ts: pause(100 * random())': 'a kill at a random moment',
  'packages/server/src/testing/stretches.test.ts: setTimeout(2)':
    'a turn of timers between stretches of work',
  'packages/server/test/service.fixture.ts: new Promise((resolve) => setTimeout(resolve, 60_000))':
    'a process that lives until it is killed',
};

const functionType =
  /^(Function(Declaration|Expression)|ArrowFunctionExpression|ClassMethod|MethodProperty)$/;
const loop = /^(For|ForIn|ForOf|While|DoWhile)Statement$/;

/** The pauses that a file awaits outside of loops, as nodes. */
export function pausesIn(body) {
  const names = new Set();
  for (const item of body) {
    if (item.source?.value !== 'node:timers/promises') continue;
    for (const { local, imported } of item.specifiers ?? [])
      if ((imported ?? local).value === 'setTimeout') names.add(local.value);
  }
  for (const { node } of nodesOf(body)) {
    const [name, work] = [node.identifier ?? node.id, node.init ?? node.body];
    if (name?.type === 'Identifier' && work && isPause(resultOf(work), names)) names.add(name.value);
  }
  const awaited = [...nodesOf(body)].filter(
    ({ node, isInLoop }) => node.type === 'AwaitExpression' && !isInLoop,
  );
  return awaited.map(({ node }) => node.argument).filter((node) => isPause(node, names));
}

/** Whether it is a call of one of these names, or a promise that only a timer resolves. */
function isPause(node, names) {
  if (node?.type === 'CallExpression') return names.has(node.callee.value);
  if (node?.type !== 'NewExpression' || node.callee.value !== 'Promise') return false;
  const executor = node.arguments?.[0]?.expression;
  const { callee, arguments: given } = resultOf(executor) ?? {};
  const resolve = executor?.params?.[0]?.pat ?? executor?.params?.[0];
  return callee?.value === 'setTimeout' && given[0]?.expression.value === resolve?.value;
}

/** What a function of one statement calculates. */
function resultOf(node) {
  if (node?.type === 'ArrowFunctionExpression') return resultOf(node.body);
  if (node?.stmts === undefined) return node;
  const [only, ...others] = node.stmts;
  return others.length === 0 ? (only?.argument ?? only?.expression) : undefined;
}

/** Every node, and whether it stands in a loop of its function. */
function* nodesOf(node, isInLoop = false) {
  if (Array.isArray(node)) {
    for (const part of node) yield* nodesOf(part, isInLoop);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  if (node.type !== undefined) yield { node, isInLoop };
  const isWithin = !functionType.test(node.type ?? '') && (isInLoop || loop.test(node.type ?? ''));
  for (const [key, part] of Object.entries(node)) if (key !== 'span') yield* nodesOf(part, isWithin);
}
