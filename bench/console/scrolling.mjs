// What a person does on a long list, and what an open page does on its own.

/** Row of frames while a list of many rows is scrolled, and of the longest response to a click. */
export async function measureScrolling(browser, { what, url, state, selector, click }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(selector).first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.evaluate(`
    window.events = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.events.push(duration);
    }).observe({ type: 'event', durationThreshold: 16 });
    window.frames = [];
    let last = performance.now();
    const frame = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);`);
  await page.mouse.move(720, 600);
  for (let n = 0; n < 30; n += 1) {
    await page.mouse.wheel(0, 400);
    await page.waitForTimeout(50);
  }
  const { frames, nodes } = await page.evaluate('({ frames, nodes: document.querySelectorAll("*").length })');
  await page.evaluate('scrollTo(0, 0)');
  for (let n = 0; n < 4; n += 1) await page.locator(click).nth(n).click();
  await page.waitForTimeout(200);
  const events = await page.evaluate('window.events');
  await context.close();
  frames.sort((a, b) => a - b);
  const p95 = frames[Math.floor(frames.length * 0.95)];
  process.stderr.write(`  ${what}: frame p95 ${p95.toFixed(0)} ms\n`);
  return { what, frameMs: p95, eventMs: Math.max(0, ...events), nodes };
}

/** Row of the requests that a page which no one uses sends in ten seconds. */
export async function measurePolls(browser, { what, url, state, selector }) {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(selector).first().waitFor();
  await page.waitForLoadState('networkidle');
  const bytes = [];
  // as they come over the line, compressed
  page.on('requestfinished', (request) => {
    bytes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.waitForTimeout(10_000);
  const sizes = await Promise.all(bytes);
  await context.close();
  return { what, requests: sizes.length, bytes: Math.max(0, ...sizes) };
}
