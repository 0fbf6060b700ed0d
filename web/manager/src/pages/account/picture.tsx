import type { Me } from '@certloop/contracts/browser';
import { Fault, faultsOf, Icon, queryOptions, resourceOf, statusOf } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Avatar } from '../../people/avatar.js';
import { api } from '../../service.js';

/** The user's own picture: uploaded, replaced and removed here. */
export function Picture({ user }: { readonly user: Me['user'] }) {
  const input = useRef<HTMLInputElement>(null);
  const { picture, change } = usePicture(user.id);
  const hasPicture = picture.data === true;
  const { byField, general } = faultsOf(change.error, ['avatar']);
  return (
    <div className="cl-stack">
      <div className="cl-row">
        <Avatar user={user} hasPicture={hasPicture} size={64} version={picture.dataUpdatedAt} />
        <input
          ref={input}
          type="file"
          hidden
          accept="image/png,image/jpeg,image/webp"
          aria-label="Picture file"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) change.mutate(file);
            // the same file may be chosen again
            currentTarget.value = '';
          }}
        />
        <Button
          variant="default"
          leftSection={<Icon name="upload" />}
          loading={change.isPending}
          onClick={() => input.current?.click()}
        >
          {hasPicture ? 'Replace the picture' : 'Upload a picture'}
        </Button>
        {hasPicture && (
          <Button variant="subtle" disabled={change.isPending} onClick={() => change.mutate('none')}>
            Remove the picture
          </Button>
        )}
      </div>
      <Fault>{byField['avatar'] ?? general}</Fault>
      <p className="cl-dim">PNG, JPEG or WebP. Everyone who signs in can see it.</p>
    </div>
  );
}

/** Whether a user has a picture, and its change. */
function usePicture(id: string) {
  const { queryKey, meta, queryFn } = queryOptions(api.getAvatar, { params: { id } });
  const picture = useQuery({
    queryKey,
    meta,
    queryFn: async (context) => {
      try {
        await queryFn(context);
        return true;
      } catch (error) {
        if (statusOf(error) === 404) return false;
        throw error;
      }
    },
  });
  const change = useMutation({
    mutationFn: async (file: File | 'none') => {
      if (file === 'none') await api.deleteAvatar({ params: { id } });
      else await api.uploadAvatar({ params: { id }, body: { file: await contentOf(file), fields: {} } });
    },
    meta: { changes: [resourceOf(api.getUser, { params: { id } })] },
  });
  return { picture, change };
}

async function contentOf(file: File) {
  return {
    name: file.name,
    contentType: 'application/octet-stream',
    bytes: new Uint8Array(await file.arrayBuffer()),
  };
}
