import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { uploadFile } from '../../api/upload.ts'
import type { FileValue } from '../../entry/values.ts'
import { OrderedArrivals } from './ordered-arrivals.ts'

export interface FieldUpload {
  readonly id: number
  readonly name: string
  readonly share: number
  readonly failure: string | null
}

/**
 * Running uploads. `start` returns a number for each file. `onDone` receives the files of one call
 * in their order, with their numbers, and leaves out failed uploads. Files that have arrived are
 * delivered when the field closes.
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
  const running = useRunning()
  const change = (id: number, to: Partial<FieldUpload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...to } : one)))
  const drop = (id: number): void => setUploads((all) => all.filter((one) => one.id !== id))
  const send = async (file: File, id: number): Promise<FileValue | null> => {
    const { signal } = abort.current
    const onProgress = (share: number): void => change(id, { share })
    try {
      return await uploadFile(file, { signal, isPrivate, onProgress })
    } catch (error) {
      if (!signal.aborted) change(id, { failure: reasonOf(error) })
      return null
    }
  }
  const start = (files: readonly File[]): readonly number[] => {
    const ids = files.map(() => (last.current += 1))
    const begun = files.map((file, at) => ({ id: ids[at] ?? 0, name: file.name, share: 0 }))
    setUploads((all) => [...all, ...begun.map((one) => ({ ...one, failure: null }))])
    const deliver = (id: number, arrived: FileValue): void => {
      done.current(arrived, id)
      drop(id)
    }
    const onFault = (id: number, error: unknown): void => change(id, { failure: reasonOf(error) })
    const arrivals = new OrderedArrivals<FileValue>(ids, { deliver, onFault })
    running.add(arrivals)
    const sent = files.map(async (file, at) => {
      const id = ids[at] ?? 0
      arrivals.settle(id, await send(file, id))
    })
    void Promise.all(sent).then(() => running.delete(arrivals))
    return ids
  }
  return { uploads, start, drop }
}

/** Flushes the uploads when the field closes. */
function useRunning() {
  const running = useRef(new Set<OrderedArrivals<FileValue>>())
  // In this phase, the editors and the saver of the form are still open.
  useLayoutEffect(() => {
    const { current } = running
    return () => {
      for (const arrivals of current) arrivals.flush()
    }
  }, [])
  return running.current
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
