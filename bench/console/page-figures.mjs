// Loads pages of a console in a browser and measures each load: bytes and requests on the wire, time until rows are on
// the screen, and what the main thread of the page does.
import { cpuSeconds } from '../measuring/cpu-time.mjs';

/** As DevTools' “slow 4G” of Lighthouse, beside a processor of a quarter of the speed. */
const slow = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 };

// within the page: when an element of the kind is first painted, and tasks of more than 50 ms
const observer = (selector) => `
  window.maxTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.maxTask = Math.max(window.maxTask, duration);
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => { window.shownAt = performance.now(); });
  };
  look();`;

const shown = `new Promise((resolve) => {
  const look = () => (window.shownAt === undefined ? requestAnimationFrame(look) : resolve());
  look();
})`;

/**
 * Loads the page at `url` in a new profile signed in by `state`, then once more, and returns a row of each:
 * { what, shownMs, requests, bytes, taskMs, maxTaskMs, nodes, cpuMs }. `selector` is what must be on the screen, `pid`
 * the service, whose CPU is that of one request of the load.
 */
export async function measurePage(browser, { what, url, state, selector, pid, isSlow = false }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  // CPU time, which other work on the machine does not lengthen
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  if (isSlow) {
    await session.send('Network.emulateNetworkConditions', slow);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  }
  await page.addInitScript(observer(selector));
  const wire = countWire(session);
  const rows = [];
  for (const [name, load] of [
    [`${what}, first`, () => page.goto(url)],
    [`${what}, again`, () => page.reload()],
  ]) {
    wire.reset();
    const [before, tasks] = [cpuSeconds(pid), await taskSeconds(session)];
    await load();
    await page.locator(selector).first().waitFor({ timeout: 60_000 });
    await page.evaluate(shown);
    await page.waitForLoadState('networkidle');
    const cpuMs = ((cpuSeconds(pid) - before) * 1e3) / wire.requests;
    const { shownAt, maxTask, nodes } = await page.evaluate(
      '({ shownAt, maxTask, nodes: document.querySelectorAll("*").length })',
    );
    const sum = await taskSeconds(session);
    // the sum may begin anew with a navigation
    const taskMs = (sum < tasks ? sum : sum - tasks) * 1e3;
    const { requests, bytes } = wire;
    rows.push({ what: name, shownMs: shownAt, requests, bytes, taskMs, maxTaskMs: maxTask, nodes, cpuMs });
    process.stderr.write(`  ${name}: ${Math.round(shownAt)} ms\n`);
  }
  await context.close();
  return rows;
}

/** Requests, and the bytes that arrived for them, since the last reset; what the cache gave counts as nothing. */
function countWire(session) {
  const wire = { requests: 0, bytes: 0, reset: () => Object.assign(wire, { requests: 0, bytes: 0 }) };
  const cached = new Set();
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache) cached.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (cached.has(requestId)) return;
    wire.requests += 1;
    wire.bytes += encodedDataLength;
  });
  return wire;
}

async function taskSeconds(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

/** Storage of a browser in which someone has just signed in at `url`. */
export async function signIn(browser, { url, label, user, password }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel(label).fill(user);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Menu of / }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}
