import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { uploadFile } from '../../api/uploads/upload-file.ts'
import type { ShownUpload } from '../../fields/media/use-uploads.ts'

export function useMediaUploads(folder: string | null) {
  const client = useQueryClient()
  const [uploads, setUploads] = useState<readonly ShownUpload[]>([])
  const last = useRef(0)
  const running = useRef(new Map<number, AbortController>())

  const change = (id: number, to: Partial<ShownUpload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...to } : one)))
  const forget = (id: number): void => setUploads((all) => all.filter((one) => one.id !== id))

  const send = async (id: number, file: File): Promise<void> => {
    const controller = new AbortController()
    const { signal } = controller
    running.current.set(id, controller)
    try {
      await uploadFile(file, {
        folder,
        signal,
        onProgress: (share) => change(id, { share }),
        onInterrupted: (isInterrupted) => change(id, { isInterrupted }),
      })
      forget(id)
      await client.invalidateQueries({ queryKey: ['files', 'list'] })
      await client.invalidateQueries({ queryKey: ['folders'] })
    } catch (error) {
      change(id, { failure: error instanceof Error ? error.message : String(error) })
    } finally {
      running.current.delete(id)
    }
  }

  const start = (files: readonly File[]): void => {
    for (const file of files) {
      last.current += 1
      const id = last.current
      const begun = { id, name: file.name, share: 0, isInterrupted: false, failure: null }
      setUploads((all) => [...all, begun])
      void send(id, file)
    }
  }

  /** Cancels an upload that runs. */
  const drop = (id: number): void => {
    forget(id)
    running.current.get(id)?.abort()
  }

  usePasted(start)
  return { uploads, start, drop }
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
