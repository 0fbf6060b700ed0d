import type { PermissionLevel, User } from '@certloop/contracts/browser';
import {
  changedCells,
  countOf,
  countText,
  type GroupReach,
  type LevelCell,
  type LevelChanges,
  levelChanges,
  otherSpaces,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { groupsQuery } from '../../people/people.js';
import { useSpaceNames } from '../../spaces/space-names.js';

const maxSide = 20;
const maxListed = 200;

/**
 * Shows what the rights of the members become once the group is saved: as a grid, or if that is too large as a list.
 */
export function GroupPreview({
  group,
  people,
}: {
  readonly group: GroupReach;
  readonly people: ReadonlyMap<string, User>;
}) {
  const groups = useQuery(groupsQuery).data;
  const { id, permission, allSpaces, spaceIds, userIds } = group;
  const changes = useMemo(() => {
    if (groups === undefined) return undefined;
    const isAdmin = (userId: string) => people.get(userId)?.isAdmin === true;
    const stored = groups.map(({ allSpaces = false, userIds = [], ...rest }) => ({
      ...rest,
      allSpaces,
      userIds: userIds.filter((userId) => !isAdmin(userId)),
    }));
    const members = userIds.filter((userId) => !isAdmin(userId));
    return levelChanges(stored, { id, permission, allSpaces, spaceIds, userIds: members });
  }, [groups, people, id, permission, allSpaces, spaceIds, userIds]);
  const { nameOf } = useSpaceNames(changes?.spaceIds.filter((one) => one !== otherSpaces) ?? []);
  if (changes === undefined) return null;
  const names: Names = {
    space: (spaceId) => (spaceId === otherSpaces ? 'All other spaces' : (nameOf(spaceId) ?? spaceId)),
    user: (userId) => people.get(userId)?.username ?? userId,
  };
  const changed = changedCells(changes);
  const isLarge = changes.rows.length > maxSide || changes.spaceIds.length > maxSide;
  return (
    <section className="cl-panel" aria-label="Preview">
      <h2>What the members may do</h2>
      <p className="cl-dim">
        {changed.length === 0
          ? 'Saving changes no rights.'
          : `Saving changes ${countOf(changed.length, 'right')}${isLarge ? '.' : ', outlined below.'}`}{' '}
        All groups of a user count, and the highest level decides. Administrators may do everything in any
        case.
      </p>
      {changes.rows.length > 0 &&
        changes.spaceIds.length > 0 &&
        (isLarge ? <List changed={changed} names={names} /> : <Grid changes={changes} names={names} />)}
    </section>
  );
}

interface Names {
  readonly space: (id: string) => string;
  readonly user: (id: string) => string;
}

function Grid({ changes, names }: { readonly changes: LevelChanges; readonly names: Names }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="cl-scroll" tabIndex={0} aria-label="Rights of the members">
      <table className="cl-grid" aria-label="Rights after saving">
        <thead>
          <tr>
            <th className="cl-cell" scope="col">
              User
            </th>
            {changes.spaceIds.map((id) => (
              <th key={id} className="cl-cell" scope="col">
                {names.space(id)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.rows.map(({ userId, cells }) => (
            <tr key={userId}>
              <th scope="row" className="cl-cell">
                {names.user(userId)}
              </th>
              {cells.map((cell) => (
                <td
                  key={cell.spaceId}
                  className="cl-cell"
                  data-changed={cell.before !== cell.after || undefined}
                >
                  <Cell cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ cell: { before, after } }: { readonly cell: LevelCell }) {
  if (before === after) return wordOf(after);
  return (
    <>
      <span className="cl-dim">{wordOf(before)} → </span>
      {wordOf(after)}
    </>
  );
}

function wordOf(level: PermissionLevel | undefined): string {
  return level ?? 'nothing';
}

function List({
  changed,
  names,
}: {
  readonly changed: readonly (LevelCell & { readonly userId: string })[];
  readonly names: Names;
}) {
  return (
    <>
      <ul className="cl-list">
        {changed.slice(0, maxListed).map(({ userId, spaceId, before, after }) => (
          <li key={`${userId} ${spaceId}`}>
            {names.user(userId)} on {names.space(spaceId)}: {wordOf(before)} → {wordOf(after)}
          </li>
        ))}
      </ul>
      {changed.length > maxListed && (
        <p className="cl-dim">And {countText(changed.length - maxListed)} more.</p>
      )}
    </>
  );
}
