import { noteRoute } from '@certloop/server';
import { type Request, type Response, Router } from 'express';

/** Addresses that pages have at Healthchecks, and what of them leads to which page of the console. */
const links: readonly (readonly [path: string, page: (id: string) => string])[] = [
  ['/checks/:id/details', (id) => `checks/${id}`],
  ['/projects/:id/checks', (id) => `projects/${id}`],
  ['/accounts/login', () => 'login'],
];

/** Router of the addresses that messages and bookmarks of Healthchecks hold; leads to the console below `consolePath`. */
export function pageLinksRouter(consolePath: string): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, page] of links) {
    router.get(path, (request: Request, response: Response) => {
      noteRoute(response, path);
      const { id = '' } = request.params as Record<string, string | undefined>;
      response.redirect(302, `${consolePath}${page(encodeURIComponent(id))}`);
    });
  }
  return router;
}
