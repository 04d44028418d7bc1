import { EventEmitter, once } from 'node:events'
import type { Locator, Page } from 'playwright-core'

export interface PastedFile {
  readonly name: string
  readonly type: string
  /** Base64. */
  readonly bytes: string
}

/** A picture of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const PICTURE: PastedFile = { name: 'shore.png', type: 'image/png', bytes: PIXEL }

export interface Pasted {
  readonly html?: string
  readonly text?: string
  readonly files?: readonly PastedFile[]
}

/** Sends the event of a paste, or of a drop in the middle of the element. */
export async function pasteInto(
  into: Locator,
  pasted: Pasted,
  kind: 'paste' | 'drop' = 'paste',
): Promise<void> {
  await into.evaluate(
    (element, [{ html, text, files = [] }, event]) => {
      const data = new DataTransfer()
      if (html !== undefined) data.setData('text/html', html)
      if (text !== undefined) data.setData('text/plain', text)
      for (const { name, type, bytes } of files) {
        const read = Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))
        data.items.add(new File([read], name, { type }))
      }
      const options = { bubbles: true, cancelable: true, composed: true }
      if (event === 'paste') {
        element.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }))
        return
      }
      const { x, y, width, height } = element.getBoundingClientRect()
      const at = { clientX: x + width / 2, clientY: y + height / 2 }
      element.dispatchEvent(new DragEvent('drop', { ...options, ...at, dataTransfer: data }))
    },
    [pasted, kind] as const,
  )
}

export interface HeldUpload {
  /** Until this number of other uploads have responses. */
  others(count: number): Promise<void>
  release(): Promise<void>
}

/** Holds the upload of one file, so that the files after it arrive first. */
export async function holdUpload(page: Page, name: string): Promise<HeldUpload> {
  let letGo = (): void => undefined
  const held = new Promise<void>((resolve) => (letGo = resolve))
  const arrivals = new EventEmitter()
  let arrived = 0
  await page.route('**/admin/files', async (route) => {
    const isHeld = route.request().postDataBuffer()?.includes(name) === true
    if (isHeld) await held
    const response = await route.fetch()
    await route.fulfill({ response })
    if (isHeld) return
    arrived += 1
    arrivals.emit(String(arrived))
  })
  return {
    others: async (count) => {
      if (arrived < count) await once(arrivals, String(count))
    },
    release: async () => {
      letGo()
      await page.unroute('**/admin/files')
    },
  }
}
