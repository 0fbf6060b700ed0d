// Loads a bundled service as Node's require would, except that V8 takes the compiled functions of an earlier run from
// a file instead of compiling them: half of the processor time of a start. Node 20 has nothing of its own for that.
'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { Module, createRequire } = require('node:module');
const path = require('node:path');
const { Script } = require('node:vm');

const folder = path.join(__dirname, 'compiled');
const digestLength = 32;

/** What this run compiled, by the file that it belongs into. */
const compiled = new Map();

/** Runs an entry, a file beside this one. */
module.exports = function load(entry) {
  const require = createRequire(__filename);
  const usual = Module._extensions['.cjs'] ?? Module._extensions['.js'];
  Module._extensions['.cjs'] = (module, file) => {
    if (path.dirname(file) === __dirname) run(module, file);
    else usual(module, file);
  };
  // at the end, when most of what a run needs has been compiled
  process.once('exit', () => compiled.forEach(store));
  require(`./${entry}`);
};

function run(module, file) {
  const bytes = fs.readFileSync(file);
  const source = Module.wrap(bytes.toString('utf8'));
  const cache = cacheFile(file, bytes);
  const cachedData = readWhole(cache);
  // without import(), which Node 20 loses in what was compiled before; the bundler writes require for each
  const script = new Script(source, { filename: file, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) compiled.set(cache, script);
  const require = createRequire(file);
  script.runInThisContext().call(module.exports, module.exports, require, module, file, path.dirname(file));
}

/** Another name for each content and Node: V8 itself compares no more of a source than its length. */
function cacheFile(file, bytes) {
  const { version, arch } = process;
  const digest = digestOf(bytes).toString('hex');
  return path.join(folder, `${path.basename(file)}-${digest}-${version}-${arch}`);
}

/** What a file holds behind its digest: V8 judges only the head of its data, and other damage would end the process. */
function readWhole(file) {
  try {
    const bytes = fs.readFileSync(file);
    const data = bytes.subarray(digestLength);
    return digestOf(data).equals(bytes.subarray(0, digestLength)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Stores what was compiled; where nothing can be written, the next start compiles again. */
function store(script, file) {
  const unfinished = `${file}-${process.pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true });
    const data = script.createCachedData();
    fs.writeFileSync(unfinished, Buffer.concat([digestOf(data), data]));
    fs.renameSync(unfinished, file);
  } catch {
    removeIfThere(unfinished);
  }
}

function removeIfThere(file) {
  try {
    fs.unlinkSync(file);
  } catch {}
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest();
}
