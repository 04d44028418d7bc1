import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { uploadFile } from '../../api/upload.ts'

export interface MediaUpload {
  readonly id: number
  readonly name: string
  readonly share: number
  readonly failure: string | null
}

/** Concurrent uploads. The server resizes each image during its upload. */
const MAX_CONCURRENT_UPLOADS = 3

export function useMediaUploads(folder: string | null) {
  const client = useQueryClient()
  const [uploads, setUploads] = useState<readonly MediaUpload[]>([])
  const last = useRef(0)
  const waiting = useRef<(() => Promise<void>)[]>([])
  const running = useRef(0)

  const change = (id: number, to: Partial<MediaUpload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...to } : one)))
  const forget = (id: number): void => setUploads((all) => all.filter((one) => one.id !== id))

  const send = async (id: number, file: File): Promise<void> => {
    try {
      await uploadFile(file, { folder, onProgress: (share) => change(id, { share }) })
      forget(id)
      await client.invalidateQueries({ queryKey: ['files', 'list'] })
      await client.invalidateQueries({ queryKey: ['folders'] })
    } catch (error) {
      change(id, { failure: error instanceof Error ? error.message : String(error) })
    }
  }

  const next = (): void => {
    while (running.current < MAX_CONCURRENT_UPLOADS) {
      const run = waiting.current.shift()
      if (run === undefined) return
      running.current += 1
      void run().finally(() => {
        running.current -= 1
        next()
      })
    }
  }

  const start = (files: readonly File[]): void => {
    for (const file of files) {
      last.current += 1
      const id = last.current
      setUploads((all) => [...all, { id, name: file.name, share: 0, failure: null }])
      waiting.current.push(() => send(id, file))
    }
    next()
  }

  usePasted(start)
  return { uploads, start, forget }
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
