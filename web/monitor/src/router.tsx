import { consolePath, Redirect } from '@certloop/web-kit';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { Inside } from './inside.js';
import { MissingPage } from './pages/missing-page.js';
import { LoginPage } from './pages/sign-in/login-page.js';

const root = createRootRoute({ component: Outlet, notFoundComponent: MissingPage });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    typeof next === 'string' ? { next } : {},
  component: LoginPage,
});

/** Everything that needs a session. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Inside });
const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: () => <Redirect path="/projects" />,
});
const projects = createRoute({
  getParentRoute: () => inside,
  path: '/projects',
  component: lazyRouteComponent(() => import('./pages/projects/projects-page.js'), 'ProjectsPage'),
});
const project = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('./pages/projects/project-page.js'), 'ProjectPage'),
});

const routeTree = root.addChildren([login, inside.addChildren([home, projects, project])]);

export const router = createRouter({
  routeTree,
  basepath: consolePath(),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
