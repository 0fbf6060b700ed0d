import { lazyPage, MissingPage, nextIn, routerOptions } from '@certloop/web-kit';
import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router';
import { Inside } from './inside.js';
import type { CheckSearch } from './lookups.js';
import { LoginPage } from './pages/sign-in/login-page.js';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <MissingPage console="monitor" />,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: nextIn,
  component: LoginPage,
});

/** Everything that needs a session. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Inside });
const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyPage(() => import('./pages/projects/home-page.js'), 'HomePage'),
});
const projects = createRoute({
  getParentRoute: () => inside,
  path: '/projects',
  component: lazyPage(() => import('./pages/projects/projects-page.js'), 'ProjectsPage'),
});
const statuses = ['new', 'up', 'grace', 'down', 'paused', 'started'] as const;
const sorts = ['attention', 'name', 'created'] as const;

const checks = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$projectId',
  validateSearch: ({ q, status, tag, channel, sort }: Record<string, unknown>): CheckSearch => ({
    ...textIn('q', q),
    ...textIn('tag', tag),
    ...textIn('channel', channel),
    ...wordIn('status', statuses, status),
    ...wordIn('sort', sorts, sort),
  }),
  component: lazyPage(() => import('./pages/checks/checks-page.js'), 'ChecksPage'),
});
const check = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$projectId/checks/$checkId',
  component: lazyPage(() => import('./pages/check/check-page.js'), 'CheckPage'),
});
const findCheck = createRoute({
  getParentRoute: () => inside,
  path: '/checks/$checkId',
  component: lazyPage(() => import('./pages/check/find-check-page.js'), 'FindCheckPage'),
});
const integrations = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$projectId/integrations',
  component: lazyPage(() => import('./pages/integrations/integrations-page.js'), 'IntegrationsPage'),
});
const badges = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$projectId/badges',
  component: lazyPage(() => import('./pages/badges/badges-page.js'), 'BadgesPage'),
});
const settings = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$projectId/settings',
  component: lazyPage(() => import('./pages/settings/settings-page.js'), 'SettingsPage'),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyPage(() => import('./pages/account/account-page.js'), 'AccountPage'),
});

/** A text of the address, which a router may have read as a number. */
function textIn<Name extends string>(name: Name, value: unknown): { readonly [N in Name]?: string } {
  const isText = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return (isText ? { [name]: String(value) } : {}) as { readonly [N in Name]?: string };
}

function wordIn<Name extends string, Word extends string>(
  name: Name,
  words: readonly Word[],
  value: unknown,
): { readonly [N in Name]?: Word } {
  const word = words.find((one) => one === value);
  return (word === undefined ? {} : { [name]: word }) as { readonly [N in Name]?: Word };
}

const routeTree = root.addChildren([
  login,
  inside.addChildren([home, projects, checks, check, findCheck, integrations, badges, settings, account]),
]);

export const router = createRouter({ routeTree, ...routerOptions() });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
