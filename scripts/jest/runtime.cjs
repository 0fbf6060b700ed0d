// Loads test files by Node's own loader. Jest's evaluates every module anew for each file: for 30 files of
// cert-manager's that took 73 seconds of a processor and 1.8 GB, by Node's loader it takes 30 and 0.6.
const hooks = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

const globalsUrl = pathToFileURL(require.resolve('./globals.mjs')).href;
let globalsModule;

/** The stand-in for @jest/globals, whose exports change with the file. */
function openGlobals() {
  if (globalsModule === undefined) {
    register('./hooks.mjs', pathToFileURL(__filename));
    globalsModule = import(globalsUrl);
  }
  return globalsModule;
}

/**
 * Stands in for the AsyncLocalStorage in which circus finds the test that runs. The real one follows every promise,
 * which costs a file 5 to 8 % of its time. Where tests run one after the other, one variable is enough.
 */
class CurrentTest {
  #context;

  run(context, work) {
    const outer = this.#context;
    this.#context = context;
    const leave = () => {
      this.#context = outer;
    };
    return work().finally(leave);
  }

  getStore() {
    return this.#context;
  }
}

module.exports = class SharedRuntime extends Runtime {
  #Storage;
  #storages = [];

  constructor(...parts) {
    super(...parts);
    const testPath = parts[6];
    const hasTestsAtOnce = readFileSync(testPath, 'utf8').includes('test.concurrent');
    this.#Storage = hasTestsAtOnce ? this.#noted(hooks.AsyncLocalStorage) : CurrentTest;
  }

  #noted(Storage) {
    const storages = this.#storages;
    return class extends Storage {
      constructor(...options) {
        super(...options);
        storages.push(this);
      }
    };
  }

  unstable_shouldLoadAsEsm(path) {
    return !path.endsWith('.cjs');
  }

  async unstable_importModule(path) {
    const { become } = await openGlobals();
    become(this.jestGlobals.cjsGlobals(path));
    await import(pathToFileURL(path).href);
  }

  /** Circus, anew for each file, as it holds the state of one. */
  requireInternalModule(path) {
    const { AsyncLocalStorage } = hooks;
    hooks.AsyncLocalStorage = this.#Storage;
    try {
      delete require.cache[path];
      return require(path);
    } finally {
      hooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  requireModule(path) {
    return require(path);
  }

  teardown() {
    super.teardown();
    // those of files that ended would cost every promise of the next ones
    for (const storage of this.#storages) storage.disable();
  }
};
