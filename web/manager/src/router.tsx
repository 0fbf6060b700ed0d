import { type RenewalStatus, renewalStatuses } from '@certloop/contracts/browser';
import { lazyPage, MissingPage, nextIn, routerOptions } from '@certloop/web-kit';
import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router';
import { auditFilterIn } from './audit/audit-filter.js';
import { Inside } from './inside.js';
import { filterIn } from './lookups.js';
import { nameSearchIn } from './names/name-tabs.js';
import { LoginPage } from './pages/sign-in/login-page.js';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <MissingPage console="manager" />,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: nextIn,
  component: LoginPage,
});
const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyPage(() => import('./pages/welcome/welcome-page.js'), 'WelcomePage'),
});

/** Everything that needs a session. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Inside });
const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyPage(() => import('./pages/dashboard/dashboard-page.js'), 'DashboardPage'),
});
const spaces = createRoute({
  getParentRoute: () => inside,
  path: '/spaces',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: lazyPage(() => import('./pages/spaces/spaces-page.js'), 'SpacesPage'),
});

const space = createRoute({
  getParentRoute: () => inside,
  path: '/spaces/$spaceId',
  validateSearch: filterIn,
  component: lazyPage(() => import('./pages/space/space-page.js'), 'SpacePage'),
});
const acmeClients = createRoute({
  getParentRoute: () => inside,
  path: '/spaces/$spaceId/acme-clients',
  component: lazyPage(() => import('./pages/acme-clients/acme-clients-page.js'), 'AcmeClientsPage'),
});
const addNames = createRoute({
  getParentRoute: () => inside,
  path: '/spaces/$spaceId/add-names',
  component: lazyPage(() => import('./pages/add-names/add-names-page.js'), 'AddNamesPage'),
});
const issuancePolicy = createRoute({
  getParentRoute: () => inside,
  path: '/spaces/$spaceId/issuance-policy',
  component: lazyPage(() => import('./pages/issuance-policy/policy-page.js'), 'PolicyPage'),
});
const fqdn = createRoute({
  getParentRoute: () => inside,
  path: '/spaces/$spaceId/fqdns/$fqdnId',
  validateSearch: nameSearchIn,
  component: lazyPage(() => import('./pages/fqdn/fqdn-page.js'), 'FqdnPage'),
});

const names = createRoute({
  getParentRoute: () => inside,
  path: '/fqdns',
  validateSearch: filterIn,
  component: lazyPage(() => import('./pages/names/names-page.js'), 'NamesPage'),
});
const watchServers = createRoute({
  getParentRoute: () => inside,
  path: '/watch-servers',
  validateSearch: ({ spaceId }: Record<string, unknown>): { spaceId?: string } =>
    typeof spaceId === 'string' && /^[\da-f-]{36}$/.test(spaceId) ? { spaceId } : {},
  component: lazyPage(() => import('./pages/watch-servers/watch-servers-page.js'), 'WatchServersPage'),
});
const inventory = createRoute({
  getParentRoute: () => inside,
  path: '/inventory',
  component: lazyPage(() => import('./pages/inventory/inventory-page.js'), 'InventoryPage'),
});
const uploadCsrs = createRoute({
  getParentRoute: () => inside,
  path: '/upload-csrs',
  component: lazyPage(() => import('./pages/upload-csrs/upload-csrs-page.js'), 'UploadCsrsPage'),
});
const certificate = createRoute({
  getParentRoute: () => inside,
  path: '/spaces/$spaceId/fqdns/$fqdnId/certificates/$certId',
  component: lazyPage(() => import('./pages/certificate/certificate-page.js'), 'CertificatePage'),
});
const renewals = createRoute({
  getParentRoute: () => inside,
  path: '/renewals',
  validateSearch: ({ status }: Record<string, unknown>): { status?: RenewalStatus } => {
    const known = renewalStatuses.find((word) => word === status);
    return known === undefined ? {} : { status: known };
  },
  component: lazyPage(() => import('./pages/renewals/renewals-page.js'), 'RenewalsPage'),
});

const providers = createRoute({
  getParentRoute: () => inside,
  path: '/providers',
  component: lazyPage(() => import('./pages/providers/providers-page.js'), 'ProvidersPage'),
});
const provider = createRoute({
  getParentRoute: () => inside,
  path: '/providers/$providerId',
  component: lazyPage(() => import('./pages/providers/provider-page.js'), 'ProviderPage'),
});
const readiness = createRoute({
  getParentRoute: () => inside,
  path: '/readiness',
  validateSearch: ({ on }: Record<string, unknown>): { on?: string } =>
    typeof on === 'string' && /^\d{4}-\d\d-\d\d$/.test(on) ? { on } : {},
  component: lazyPage(() => import('./pages/readiness/readiness-page.js'), 'ReadinessPage'),
});
const statistics = createRoute({
  getParentRoute: () => inside,
  path: '/statistics',
  component: lazyPage(() => import('./pages/statistics/statistics-page.js'), 'StatisticsPage'),
});
const users = createRoute({
  getParentRoute: () => inside,
  path: '/users',
  validateSearch: ({ q, admins }: Record<string, unknown>): { q?: string; admins?: true } => ({
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(admins === true && { admins }),
  }),
  component: lazyPage(() => import('./pages/users/users-page.js'), 'UsersPage'),
});
const user = createRoute({
  getParentRoute: () => inside,
  path: '/users/$userId',
  component: lazyPage(() => import('./pages/users/user-page.js'), 'UserPage'),
});
const groups = createRoute({
  getParentRoute: () => inside,
  path: '/groups',
  component: lazyPage(() => import('./pages/groups/groups-page.js'), 'GroupsPage'),
});
const group = createRoute({
  getParentRoute: () => inside,
  path: '/groups/$groupId',
  component: lazyPage(() => import('./pages/groups/group-page.js'), 'GroupPage'),
});
const newGroup = createRoute({
  getParentRoute: () => inside,
  path: '/new-group',
  component: lazyPage(() => import('./pages/groups/group-page.js'), 'NewGroupPage'),
});

const audit = createRoute({
  getParentRoute: () => inside,
  path: '/audit',
  validateSearch: auditFilterIn,
  component: lazyPage(() => import('./pages/audit/audit-page.js'), 'AuditPage'),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyPage(() => import('./pages/account/account-page.js'), 'AccountPage'),
});

const routeTree = root.addChildren([
  login,
  welcome,
  inside.addChildren([
    home,
    spaces,
    space,
    addNames,
    issuancePolicy,
    acmeClients,
    watchServers,
    inventory,
    uploadCsrs,
    names,
    fqdn,
    certificate,
    renewals,
    providers,
    provider,
    users,
    user,
    groups,
    group,
    newGroup,
    audit,
    readiness,
    statistics,
    account,
  ]),
]);

export const router = createRouter({ routeTree, ...routerOptions() });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
