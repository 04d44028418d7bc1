import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { MediaUploadQueue } from './media-upload-queue.ts'

/** Of this tab, so that the screen shows running uploads again when it reopens. */
const queue = new MediaUploadQueue()

export function useMediaUploads(folder: string | null) {
  const client = useQueryClient()
  const uploads = useSyncExternalStore(queue.subscribe, queue.list)
  const onStored = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['files', 'list'] })
    await client.invalidateQueries({ queryKey: ['folders'] })
  }
  const start = (files: readonly File[]): void => queue.start(files, { folder, onStored })
  usePasted(start)
  return { uploads, start, drop: queue.drop }
}

export type MediaUploads = ReturnType<typeof useMediaUploads>

function usePasted(onFiles: (files: readonly File[]) => void): void {
  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent): void => {
      const files = [...(clipboardData?.files ?? [])]
      if (files.length > 0) onFiles(files)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  })
}
