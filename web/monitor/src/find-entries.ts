import { matchingEntries, type PaletteEntry, statusOf } from '@certloop/web-kit';
import { api } from './service.js';

const uuid = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40})$/i;
// of more projects, those that the service lists first are searched
const maxProjects = 20;

/** Projects and checks of the user whose name has the text, or the check with this uuid or unique key. */
export async function findEntries(text: string, signal: AbortSignal): Promise<readonly PaletteEntry[]> {
  if (uuid.test(text)) return findCheck(text.toLowerCase(), signal);
  const { projects } = (await api.listProjects({ query: {}, signal })).body;
  const checks = await Promise.all(
    projects.slice(0, maxProjects).map(({ id, name }) => findChecks(text, { id, name }, signal)),
  );
  const entries = projects.map(({ id, name }) => ({
    key: id,
    label: name,
    detail: 'project',
    path: `/projects/${id}`,
  }));
  return [...matchingEntries(entries, text), ...checks.flat()];
}

async function findChecks(
  q: string,
  project: { readonly id: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  const { body } = await api.listAccountChecks({
    params: { projectId: project.id },
    query: { q: q.slice(0, 200), sort: 'name', limit: '8', include: 'state' },
    signal,
  });
  return body.checks.flatMap(({ id, name }) =>
    id === undefined ? [] : [checkEntry(name === '' ? 'unnamed' : name, project.name, project.id, id)],
  );
}

async function findCheck(checkId: string, signal: AbortSignal): Promise<readonly PaletteEntry[]> {
  try {
    const { projectId, id } = (await api.findOwnCheck({ params: { checkId }, signal })).body;
    return [checkEntry(checkId, 'check', projectId, id)];
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}

function checkEntry(label: string, detail: string, projectId: string, id: string): PaletteEntry {
  return { key: id, label, detail, path: `/projects/${projectId}/checks/${id}` };
}
