import { useEffect, useRef, useState } from 'react'
import { uploadFile } from '../../api/upload.ts'
import type { FileValue } from '../../entry/values.ts'

export interface FieldUpload {
  readonly id: number
  readonly name: string
  readonly share: number
  readonly failure: string | null
}

/**
 * Running uploads. `onDone` receives the files in the order of their completion, with the number
 * that `start` returned.
 */
export function useUploads(onDone: (file: FileValue, id: number) => void, isPrivate = false) {
  const [uploads, setUploads] = useState<readonly FieldUpload[]>([])
  const done = useRef(onDone)
  done.current = onDone
  const last = useRef(0)
  const abort = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    abort.current = controller
    return () => controller.abort()
  }, [])
  const change = (id: number, to: Partial<FieldUpload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...to } : one)))
  const drop = (id: number): void => setUploads((all) => all.filter((one) => one.id !== id))
  const start = (file: File): number => {
    last.current += 1
    const id = last.current
    setUploads((all) => [...all, { id, name: file.name, share: 0, failure: null }])
    const { signal } = abort.current
    uploadFile(file, { signal, isPrivate, onProgress: (share) => change(id, { share }) }).then(
      (arrived) => {
        drop(id)
        done.current(arrived, id)
      },
      (error: unknown) => {
        if (signal.aborted) return
        change(id, { failure: error instanceof Error ? error.message : String(error) })
      },
    )
    return id
  }
  return { uploads, start, drop }
}
