import { maxServerLines } from '@certloop/contracts/browser';
import { CopyCurl, countOf, countText, sentenceOf } from '@certloop/web-kit';
import { Button, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { api } from '../../service.js';
import { type Watching, watchSome } from './use-watching.js';

const maxShown = 20;

/** The field for the list; lines that are not understood are shown before anything is sent. */
export function ServersForm({
  watching,
  spaceId,
  children,
}: {
  readonly watching: Watching;
  readonly spaceId: string;
  readonly children: ReactNode;
}) {
  const { text, type, lines, rows, start, isRunning, wait, error } = watching;
  const { servers, bad } = lines;
  const isTooLong = servers.length > maxServerLines;
  const open = rows.filter(({ result }) => result === undefined).length;
  const isOver = rows.length > 0 && open === 0;
  return (
    <form
      className="cl-panel"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      {children}
      <Textarea
        label="Servers"
        description="One a line: HOST[:PORT][/PROTOCOL], and the name of the certificate if it is not the host. What follows a # is a comment."
        placeholder={'www.example.com\nmail.example.com:587/smtp\n10.0.0.5:443 shop.example.com'}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        error={
          isTooLong
            ? `These are ${countOf(servers.length, 'server')}. Paste at most ${countText(maxServerLines)} at once.`
            : error === undefined
              ? undefined
              : sentenceOf(error)
        }
        minRows={8}
        maxRows={16}
        autosize
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={isRunning}
        classNames={{ input: 'cl-mono' }}
      />
      <BadLines lines={bad} />
      <div className="cl-row">
        <Button
          type="submit"
          variant={isOver ? 'default' : 'filled'}
          loading={isRunning}
          disabled={servers.length === 0 || bad.length > 0 || isTooLong || isOver}
        >
          {error !== undefined && rows.length > 0
            ? `Go on with ${countOf(open, 'server')}`
            : `Watch ${servers.length === 0 ? 'the servers' : countOf(servers.length, 'server')}`}
        </Button>
        <CopyCurl api={api} of={(to) => watchSome(to, spaceId, servers)} />
        {wait !== undefined && (
          <span role="status">The service asks to wait {countOf(Math.ceil(wait), 'second')}.</span>
        )}
      </div>
    </form>
  );
}

function BadLines({ lines }: { readonly lines: Watching['lines']['bad'] }) {
  if (lines.length === 0) return null;
  return (
    <div className="cl-strip" role="alert">
      <p>
        {countOf(lines.length, 'line is', 'lines are')} not understood. Correct{' '}
        {lines.length === 1 ? 'it' : 'them'} first:
      </p>
      <ul>
        {lines.slice(0, maxShown).map(({ line, text, message: fault }) => (
          <li key={line} className="cl-anywhere">
            Line {line}, <bdi className="cl-mono">{text.slice(0, 100)}</bdi>, {fault}
          </li>
        ))}
        {lines.length > maxShown && <li>and {countText(lines.length - maxShown)} more</li>}
      </ul>
    </div>
  );
}
