import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

const classNames = { inner: 'cl-drawer', content: 'cl-drawer-content' } as const;

/** A dialog at the end of the screen: beside it, the page that it is about stays in view. */
export function Drawer({
  title,
  isOpen,
  close,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Modal opened={isOpen} onClose={close} title={title} size="lg" radius={0} classNames={classNames}>
      {children}
    </Modal>
  );
}
