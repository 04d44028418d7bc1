import { useQueryClient } from '@tanstack/react-query'
import { deleteFile, type MediaFile } from '../../api/files.ts'
import { restoreFile, useCanRestoreFiles } from '../../api/trash.ts'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'

const CHANGES = ['files', 'folders', 'trash', 'content'] as const

type Deletable = Pick<MediaFile, 'id' | 'documentId'>

export interface FileDeletion {
  readonly isBusy: boolean
  /** Whether the files go to the trash, so that the notice offers an undo. */
  readonly canRestore: boolean
  readonly run: (files: readonly Deletable[], onDone: () => void) => void
}

export function useFileDeletion(): FileDeletion {
  const { t } = useTexts()
  const client = useQueryClient()
  const action = useAction()
  const canRestore = useCanRestoreFiles()
  const restore = async (files: readonly Deletable[]): Promise<void> => {
    const { done, failures } = await each(files, ({ documentId }) => restoreFile(documentId))
    if (done.length > 0) notify(t('media.restored', { count: done.length }))
    if (failures.length > 0) notifyFailure(failures[0])
    await Promise.all(CHANGES.map((key) => client.invalidateQueries({ queryKey: [key] })))
  }
  return {
    isBusy: action.isBusy,
    canRestore,
    run: (files, onDone) =>
      action.run(() => each(files, ({ id }) => deleteFile(id)), {
        changes: CHANGES,
        onDone: ({ done, failures }) => {
          onDone()
          const undo = canRestore ? () => restore(done) : undefined
          if (done.length > 0) notify(t('media.deleted', { count: done.length }), undo)
          if (failures.length > 0) notifyFailure(failures[0])
        },
      }),
  }
}

interface Outcome {
  readonly done: readonly Deletable[]
  readonly failures: readonly unknown[]
}

async function each(
  files: readonly Deletable[],
  work: (file: Deletable) => Promise<void>,
): Promise<Outcome> {
  const outcomes = await Promise.allSettled(files.map(work))
  return {
    done: files.filter((_, index) => outcomes[index]?.status === 'fulfilled'),
    failures: outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
  }
}
