import { type ReactNode, useState } from 'react';

/** A card that takes files that are dropped on it. */
export function DropZone({
  label,
  drop,
  children,
}: {
  readonly label: string;
  readonly drop: (files: readonly File[]) => void;
  readonly children: ReactNode;
}) {
  const [isOver, setOver] = useState(false);
  return (
    <section
      className="cl-panel cl-drop"
      aria-label={label}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        drop([...event.dataTransfer.files]);
      }}
    >
      {children}
    </section>
  );
}
