import { uploadFile } from '../../api/uploads/upload-file.ts'
import { queuedUpload, type ShownUpload } from '../../fields/media/shown-upload.ts'

export interface UploadTarget {
  readonly folder: string | null
  readonly onStored: () => Promise<void>
}

/** The uploads of the Media screen. They continue while other screens are open. */
export class MediaUploadQueue {
  #uploads: readonly ShownUpload[] = []
  #last = 0
  readonly #running = new Map<number, AbortController>()
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly list = (): readonly ShownUpload[] => this.#uploads

  start(files: readonly File[], target: UploadTarget): void {
    for (const file of files) {
      this.#last += 1
      this.#show([...this.#uploads, queuedUpload(this.#last, file.name)])
      void this.#send(this.#last, file, target)
    }
  }

  /** Cancels an upload that runs. */
  readonly drop = (id: number): void => {
    this.#forget(id)
    this.#running.get(id)?.abort()
  }

  async #send(id: number, file: File, { folder, onStored }: UploadTarget): Promise<void> {
    const controller = new AbortController()
    this.#running.set(id, controller)
    try {
      await uploadFile(file, {
        folder,
        signal: controller.signal,
        onProgress: (share) => this.#change(id, { share }),
        onInterrupted: (isInterrupted) => this.#change(id, { isInterrupted, isQueued: false }),
      })
      this.#forget(id)
      await onStored()
    } catch (error) {
      this.#change(id, { failure: error instanceof Error ? error.message : String(error) })
    } finally {
      this.#running.delete(id)
    }
  }

  #change(id: number, to: Partial<ShownUpload>): void {
    this.#show(this.#uploads.map((one) => (one.id === id ? { ...one, ...to } : one)))
  }

  #forget(id: number): void {
    this.#show(this.#uploads.filter((one) => one.id !== id))
  }

  #show(uploads: readonly ShownUpload[]): void {
    this.#uploads = uploads
    for (const listener of this.#listeners) listener()
  }
}
