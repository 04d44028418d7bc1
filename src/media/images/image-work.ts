import { availableParallelism } from 'node:os'
import { createWorkQueue, type WorkOptions } from '../../base/work-queue.ts'
import { type ImageProcesses, openImageProcesses } from './image-processes.ts'

export interface ImageWork {
  /** @throws ServiceUnavailableError as `WorkQueue` does */
  inTurn<T>(work: (processes: ImageProcesses) => Promise<T>, options?: WorkOptions): Promise<T>
}

export interface ImageWorkLimits {
  readonly concurrency: number
  readonly maxMs: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
}

/** Keeps one core for requests. The wait is limited to about the time of one image. */
const LIMITS: ImageWorkLimits = {
  concurrency: Math.max(1, availableParallelism() - 1),
  maxMs: 30_000,
  maxWaiting: 200,
  maxWaitMs: 30_000,
}

export function openImageWork(limits: Partial<ImageWorkLimits> = {}): ImageWork {
  const { maxMs, ...ofQueue } = { ...LIMITS, ...limits }
  const queue = createWorkQueue({
    ...ofQueue,
    refusal: 'Too many images are waiting to be processed',
  })
  const processes = openImageProcesses(maxMs)
  return { inTurn: (work, options) => queue.run(() => work(processes), options) }
}
