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
 * Running uploads. `start` returns a number for each file. `onDone` receives the files of one call
 * in their order, with their numbers, and leaves out failed uploads.
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
  const send = async (file: File, id: number): Promise<FileValue | null> => {
    const { signal } = abort.current
    const onProgress = (share: number): void => change(id, { share })
    try {
      return await uploadFile(file, { signal, isPrivate, onProgress })
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      if (!signal.aborted) change(id, { failure })
      return null
    }
  }
  const start = (files: readonly File[]): readonly number[] => {
    const ids = files.map(() => (last.current += 1))
    const begun = files.map((file, at) => ({ id: ids[at] ?? 0, name: file.name, share: 0 }))
    setUploads((all) => [...all, ...begun.map((one) => ({ ...one, failure: null }))])
    let before: Promise<void> = Promise.resolve()
    for (const [at, file] of files.entries()) {
      const id = ids[at] ?? 0
      const sent = send(file, id)
      before = before.then(async () => {
        const arrived = await sent
        if (arrived === null) return
        drop(id)
        done.current(arrived, id)
      })
    }
    return ids
  }
  return { uploads, start, drop }
}
