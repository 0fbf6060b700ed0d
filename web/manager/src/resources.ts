// The resources that pages change and queries show.

import { resourceOf } from '@certloop/web-kit';
import { api } from './service.js';

/** A space with all in it. */
export const spaceResource = (spaceId: string) => resourceOf(api.getSpace, { params: { id: spaceId } });

/** An FQDN with all that belongs to it. */
export const fqdnResource = (spaceId: string, fqdnId: string) =>
  resourceOf(api.getFqdn, { params: { id: spaceId, fqdnId } });

/** The ACME clients of a space. */
export const acmeClientsResource = (spaceId: string) =>
  resourceOf(api.listAcmeClients, { params: { spaceId } });

/** All spaces with all in them. */
export const spacesResource = resourceOf(api.listSpaces);
export const renewalsResource = resourceOf(api.listRenewals);
export const providersResource = resourceOf(api.listProviders);
export const usersResource = resourceOf(api.listUsers);
export const groupsResource = resourceOf(api.listPermissionGroups);
export const tokensResource = resourceOf(api.listApiTokens);
export const sessionsResource = resourceOf(api.listSessions);
export const auditResource = resourceOf(api.listAuditLogs);
