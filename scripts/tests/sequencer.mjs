// The order of a run over several packages: what needs long comes first, so that no worker is left alone with it.
import { readFileSync } from 'node:fs';

/** What only files write that start a browser or other processes, themselves or by what supports them. */
const startsProcesses =
  /(Browser|Console|Form)\w*\(|hasProgram|spawn\(|beginLife|runCli|startMonitor|startDelivering|startTestStack/;

/**
 * First the files that collect garbage on purpose, as a collection takes the longer the more their worker has loaded;
 * then those that start a browser or other processes, then the rest; of each the largest first.
 */
export default class SlowestFirst {
  sort(files) {
    const texts = new Map(files.map((file) => [file, readFileSync(file.moduleId, 'utf8')]));
    const has = (pattern) => (file) => Number(pattern.test(texts.get(file)));
    const [collects, isLong] = [has(/--expose-gc/), has(startsProcesses)];
    const lengthOf = (file) => texts.get(file).length;
    return files.toSorted(
      (one, other) =>
        collects(other) - collects(one) || isLong(other) - isLong(one) || lengthOf(other) - lengthOf(one),
    );
  }

  /** Runs are not divided among machines. */
  shard(files) {
    return files;
  }
}
