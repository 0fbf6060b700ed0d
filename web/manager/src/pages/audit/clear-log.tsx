import { ConfirmDialog, countOf, exactTime, queryOptions } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auditResource } from '../../resources.js';
import { api } from '../../service.js';

/** Button that empties the log once its name is typed. */
export function ClearLog() {
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
          changes={[auditResource]}
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
  const { data = [] } = useQuery(queryOptions(api.listAuditClearings));
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
