import type { Story } from '@certloop/browser';

/** Holds back what answers these requests of a page until it is released; `isAsked` waits for the first of them. */
export async function holdBack(page: Story['page'], requests: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ask = () => {};
  const isAsked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  await page.route(requests, async (route) => {
    ask();
    await released;
    await route.continue();
  });
  return { release, isAsked };
}
