// Where test files run: in the realm of their worker, with modules that are evaluated once for the worker. What a
// file changes there is changed back after it, except for the state of modules: those have none that a test could see.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

// what circus keeps at the realm from file to file, although it belongs to one
const eventHandlers = Symbol.for('EVENT_HANDLERS');
const testTimeout = Symbol.for('TEST_TIMEOUT_SYMBOL');

module.exports = class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern;
  #found = { console, exit: process.exit, env: { ...process.env } };

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
    delete globalThis[eventHandlers];
    // of the package, which circus would not ask in a run over several
    globalThis[testTimeout] = config.testTimeout;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    const { env, exit } = this.#found;
    process.exit = exit;
    globalThis.console = this.#found.console;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** No context: what runs here is compiled for the worker's own. */
  getVmContext() {
    return null;
  }
};
