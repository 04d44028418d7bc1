/** Ends an upload of a form. `hasArrived` is false for a failed or interrupted one. */
export type EndUpload = (hasArrived: boolean) => void

/** The uploads of an open form. A publication waits for them. */
export class PendingUploads {
  readonly #pending = new Set<Promise<boolean>>()
  #cancelled = 0

  begin(): EndUpload {
    let end: EndUpload = () => undefined
    const upload = new Promise<boolean>((resolve) => {
      end = resolve
    })
    this.#pending.add(upload)
    return (hasArrived) => {
      this.#pending.delete(upload)
      end(hasArrived)
    }
  }

  noteCancelled(): void {
    this.#cancelled += 1
  }

  /**
   * Waits until no upload is running. Returns false if one of them has not arrived, or was cancelled in
   * the meantime.
   */
  async allArrived(): Promise<boolean> {
    const cancelledBefore = this.#cancelled
    let areWhole = true
    while (this.#pending.size > 0) {
      const arrived = await Promise.all(this.#pending)
      areWhole &&= arrived.every((one) => one)
    }
    return areWhole && this.#cancelled === cancelledBefore
  }
}
