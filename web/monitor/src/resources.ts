// The resources that pages change and queries show.

import { resourceOf } from '@certloop/web-kit';
import { api } from './service.js';

/** All projects with all in them. */
export const projectsResource = resourceOf(api.listProjects);

/** A project with all in it. */
export const projectResource = (projectId: string) => resourceOf(api.getProject, { params: { projectId } });

/** A check with all that belongs to it. */
export const checkResource = (projectId: string, checkId: string) =>
  resourceOf(api.getAccountCheck, { params: { projectId, checkId } });

/** The integrations of a project. */
export const channelsResource = (projectId: string) =>
  resourceOf(api.listAccountChannels, { params: { projectId } });

/** The members of a project. */
export const membersResource = (projectId: string) => resourceOf(api.listMembers, { params: { projectId } });

/** The states of the checks of a project, without the list of the checks: its rows do not move. */
export const statesResource = (projectId: string) => `states of ${projectId}`;
