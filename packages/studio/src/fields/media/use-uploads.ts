import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { uploadFile } from '../../api/uploads/upload-file.ts'
import type { FileValue } from '../../entry/values.ts'
import { OrderedArrivals } from './ordered-arrivals.ts'
import { queuedUpload, type ShownUpload } from './shown-upload.ts'

/**
 * Running uploads. `start` returns a number for each file, and `drop` cancels one. `onDone` receives the files of one call
 * in their order, with their numbers, and leaves out failed uploads. Files that have arrived are
 * delivered when the field closes.
 */
export function useUploads(onDone: (file: FileValue, id: number) => void, isPrivate = false) {
  const [uploads, setUploads] = useState<readonly ShownUpload[]>([])
  const done = useRef(onDone)
  done.current = onDone
  const last = useRef(0)
  const controllers = useControllers()
  const running = useRunning()
  const change = (id: number, to: Partial<ShownUpload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...to } : one)))
  const forget = (id: number): void => setUploads((all) => all.filter((one) => one.id !== id))
  const send = async (file: File, id: number): Promise<FileValue | null> => {
    const controller = new AbortController()
    const { signal } = controller
    controllers.set(id, controller)
    const onProgress = (share: number): void => change(id, { share })
    const onInterrupted = (isInterrupted: boolean): void =>
      change(id, { isInterrupted, isQueued: false })
    try {
      return await uploadFile(file, { signal, isPrivate, onProgress, onInterrupted })
    } catch (error) {
      if (!signal.aborted) change(id, { failure: reasonOf(error) })
      return null
    } finally {
      controllers.delete(id)
    }
  }
  const start = (files: readonly File[]): readonly number[] => {
    const ids = files.map(() => (last.current += 1))
    setUploads((all) => [...all, ...files.map(({ name }, at) => queuedUpload(ids[at] ?? 0, name))])
    const deliver = (id: number, arrived: FileValue): void => {
      done.current(arrived, id)
      forget(id)
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
  const drop = (id: number): void => {
    forget(id)
    controllers.get(id)?.abort()
    for (const arrivals of running) arrivals.discard(id)
  }
  return { uploads, start, drop }
}

/** Of the uploads that run, by their number. They end when the field closes. */
function useControllers(): Map<number, AbortController> {
  const controllers = useRef(new Map<number, AbortController>())
  useEffect(() => {
    const { current } = controllers
    return () => {
      for (const controller of current.values()) controller.abort()
    }
  }, [])
  return controllers.current
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
