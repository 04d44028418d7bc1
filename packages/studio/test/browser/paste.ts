import type { Locator } from 'playwright-core'

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
  readonly files?: readonly PastedFile[]
}

/** Sends the event of a paste, or of a drop in the middle of the element. */
export async function pasteInto(
  into: Locator,
  pasted: Pasted,
  kind: 'paste' | 'drop' = 'paste',
): Promise<void> {
  await into.evaluate(
    (element, [{ html, files = [] }, event]) => {
      const data = new DataTransfer()
      if (html !== undefined) data.setData('text/html', html)
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
