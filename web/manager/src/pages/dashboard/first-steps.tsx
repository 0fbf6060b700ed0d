import type { Space, Watch } from '@certloop/contracts/browser';
import { AddButton, EmptyState, Loaded, Steps, useList, WaitingSteps } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { spaceList } from '../../lookups.js';
import { useRights } from '../../rights.js';
import { NewSpace } from '../../spaces/new-space.js';
import { useHasPolicy } from './dashboard-queries.js';
import { integrationStep } from './watch-parts.js';
import { useWatch } from './watch-state.js';

const stepsTo = (space: Space | undefined, hasPolicy: boolean, watch: Watch | undefined) => [
  {
    key: 'servers',
    isDone: false,
    text: (
      <>
        <Link to="/watch-servers">Watch the servers</Link> that you have: paste their names, and see their
        certificates. Or get a new certificate:
      </>
    ),
  },
  {
    key: 'space',
    isDone: space !== undefined,
    text: 'Create a space. It holds the names of a team or a service.',
  },
  { key: 'name', isDone: false, text: 'Add a host name to it.' },
  {
    key: 'csr',
    isDone: false,
    text: 'Create a key and a CSR on your machine, and upload the CSR. The key stays with you.',
  },
  {
    key: 'certificate',
    isDone: false,
    text: 'Request the certificate, and switch its automatic renewal on.',
  },
  {
    key: 'policy',
    isDone: hasPolicy,
    text: (
      <>
        Limit the names for which the space may get certificates
        {space === undefined ? (
          '.'
        ) : (
          <>
            {' '}
            by its{' '}
            <Link to="/spaces/$spaceId/issuance-policy" params={{ spaceId: space.id }}>
              issuance policy
            </Link>
            .
          </>
        )}{' '}
      </>
    ),
  },
  integrationStep(watch),
];

/** Shows what to do where there is no name yet: the way to the first certificate. */
export function FirstSteps() {
  const { query, rows = [] } = useList(spaceList());
  const hasPolicy = useHasPolicy(true).data === true;
  const watch = useWatch().data;
  const { hasFullAccess } = useRights();
  const [isAdding, setAdding] = useState(false);
  return (
    <Loaded
      query={query}
      waiting={
        <EmptyState title="Get your first certificate">
          <WaitingSteps count={7} />
        </EmptyState>
      }
    >
      {() => {
        const [space] = rows;
        return (
          <EmptyState title="Get your first certificate">
            <Steps steps={stepsTo(space, hasPolicy, watch)} />
            {space !== undefined ? (
              <Button
                renderRoot={(props) => (
                  <Link {...props} to="/spaces/$spaceId" params={{ spaceId: space.id }} />
                )}
              >
                Add a name to {space.name}
              </Button>
            ) : hasFullAccess ? (
              <AddButton label="Create a space" onClick={() => setAdding(true)} />
            ) : (
              <p className="cl-dim">
                Ask an administrator to add you to a group. Then you can see its spaces.
              </p>
            )}
            <NewSpace isOpen={isAdding} close={() => setAdding(false)} />
          </EmptyState>
        );
      }}
    </Loaded>
  );
}
