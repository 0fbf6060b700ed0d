import { consolePath } from '../service/api.browser.js';
import { FailedPage } from './pages/failed-page.js';

/** Options of the router of a console. */
export function routerOptions() {
  return {
    basepath: consolePath(),
    // no preload on hover: after a deployment its part is gone, and the reload would lose what was typed
    scrollRestoration: true,
    defaultErrorComponent: FailedPage,
  };
}

/** Query of the sign-in page: the path that it opens after the sign-in. */
export function nextIn({ next }: Record<string, unknown>): { next?: string } {
  return typeof next === 'string' ? { next } : {};
}
