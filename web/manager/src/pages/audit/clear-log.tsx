import type { AuditClearing } from '@certloop/contracts/browser';
import { ConfirmDialog, countOf, exactTime } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../service.js';

/** Button that empties the log once its name is typed. */
export function ClearLog() {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" color="red" onClick={() => setAsking(true)}>
        Clear the log…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Clear the audit log?"
          label="Clear the log"
          typeFirst="audit log"
          act={() => api.deleteAuditLogs()}
          done={() =>
            Promise.all([['audit'], ['log']].map((queryKey) => queries.invalidateQueries({ queryKey })))
          }
          close={() => setAsking(false)}
        >
          <p>
            This deletes all entries, also those that are not shown. Export them first. That you cleared the
            log, when, and how many entries it had stays recorded. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** When the log was cleared, and by whom; nothing while it never was. */
export function Clearings() {
  const { data = [] } = useQuery<readonly AuditClearing[]>({
    queryKey: ['audit', 'clearings'],
    queryFn: async ({ signal }) => (await api.listAuditClearings({ signal })).body,
  });
  if (data.length === 0) return null;
  return (
    <details>
      <summary>The log was cleared {countOf(data.length, 'time')}</summary>
      <ul className="cl-list" aria-label="Clearings">
        {data.toReversed().map(({ at, username, ipAddress, count }) => (
          <li key={at}>
            {exactTime(at)}: {username}
            {ipAddress === '' ? '' : ` from ${ipAddress}`} cleared {countOf(count, 'entry', 'entries')}.
          </li>
        ))}
      </ul>
    </details>
  );
}
