import type { ReviewedName } from '@certloop/contracts/browser';
import { CopyCurl, countOf, ErrorPanel, namesIn, sentenceOf, useTitle } from '@certloop/web-kit';
import { Button, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { spaceQuery } from '../../lookups.js';
import { includesLevel } from '../../rights.js';
import { api } from '../../service.js';
import { SpaceCrumbs } from '../../spaces/space-crumbs.js';
import { ReviewedNames } from './reviewed-names.js';

const route = getRouteApi('/inside/spaces/$spaceId/add-names');

// the service judges no more at once
const maxNames = 1_000;

/** Adds a pasted list of names to a space: first judges each of them, then adds those that can be added. */
export function AddNamesPage() {
  const { spaceId } = route.useParams();
  const space = useQuery(spaceQuery(spaceId));
  useTitle('Add names', 'manager');
  const list = useNameList(spaceId);
  const { review } = list;
  if (space.isError && space.data === undefined) {
    return <ErrorPanel error={space.error} retry={() => void space.refetch()} />;
  }
  return (
    <>
      <SpaceCrumbs spaceId={spaceId} name={space.data?.name} />
      <h1>Add names</h1>
      {space.data !== undefined && !includesLevel(space.data.level, 'READ_WRITE') ? (
        <p className="cl-dim">It takes the level READ_WRITE on this space to add names.</p>
      ) : (
        <>
          <NamesForm {...list} />
          {review.isSuccess && (
            <ReviewedNames key={review.submittedAt} spaceId={spaceId} names={review.data} />
          )}
        </>
      )}
    </>
  );
}

/** The pasted text, the names in it, and what the service says of them. */
function useNameList(spaceId: string) {
  const [text, setText] = useState('');
  const send = (to: typeof api, listed: readonly string[]) =>
    to.reviewFqdns({ params: { id: spaceId }, body: { names: [...listed] } });
  const review = useMutation<readonly ReviewedName[], Error, readonly string[]>({
    mutationFn: async (listed) => (await send(api, listed)).body,
    meta: { isTrial: true },
  });
  const type = (typed: string) => {
    setText(typed);
    // the verdicts were on another list
    review.reset();
  };
  return { text, type, names: namesIn(text), send, review };
}

function NamesForm({ text, type, names, send, review }: ReturnType<typeof useNameList>) {
  const isTooLong = names.length > maxNames;
  return (
    <form
      className="cl-panel"
      onSubmit={(event) => {
        event.preventDefault();
        review.mutate(names);
      }}
    >
      <Textarea
        label="Host names"
        description="One a line, or with commas between them. What follows a # is a comment."
        placeholder={'www.example.com\n*.api.example.com'}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        error={
          isTooLong
            ? `These are ${countOf(names.length, 'name')}. Paste at most ${countOf(maxNames, 'name')} at once.`
            : review.isError
              ? sentenceOf(review.error)
              : undefined
        }
        minRows={8}
        maxRows={16}
        autosize
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        classNames={{ input: 'cl-mono' }}
      />
      <div className="cl-row">
        <Button
          type="submit"
          variant={review.isSuccess ? 'default' : 'filled'}
          loading={review.isPending}
          disabled={names.length === 0 || isTooLong}
        >
          Check {names.length === 0 ? 'the names' : countOf(names.length, 'name')}
        </Button>
        <CopyCurl api={api} of={(to) => send(to, names)} />
        <span className="cl-dim">Nothing is added before you have seen the result.</span>
      </div>
    </form>
  );
}
