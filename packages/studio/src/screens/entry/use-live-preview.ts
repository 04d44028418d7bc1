import { useCallback, useEffect, useRef, useState } from 'react'
import { toAddress } from '../../entry/address.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import { focusPlace } from '../../fields/focus.ts'
import { toSentValues } from './sent-values.ts'

/** An edit shows up after this time, so that fast typing does not render the page for each letter. */
const SEND_DELAY_MS = 40
const MAX_PLACE_LENGTH = 500

interface Stored {
  readonly url: string | undefined
  readonly savedAt: number
}

interface Frame {
  readonly url: string
  readonly turn: number
}

export interface LivePreview {
  readonly frame: Frame | null
  /** Asks a loaded page if it follows. */
  readonly greet: (page: Window) => void
  /** Reloads the page after the next save, even if it follows. */
  readonly leave: () => void
}

/**
 * The page in the preview. A page that uses `@quire/client/preview` follows: it gets the values of the form after each edit
 * and reads the entry again after each save. Other pages are reloaded.
 */
export function useLivePreview(
  session: EntrySession,
  { url, savedAt }: Stored,
  onChoose: () => void,
): LivePreview {
  const [frame, load] = useState<Frame | null>(null)
  const following = useRef<Window | null>(null)
  const origin = url === undefined ? null : new URL(url).origin
  const tell = useCallback(
    (page: Window | null, message: object): void => {
      if (origin !== null) page?.postMessage(message, origin)
    },
    [origin],
  )
  useEffect(() => {
    if (url === undefined) return
    if (following.current === null) load({ url, turn: savedAt })
    else tell(following.current, { quire: 'saved', url })
  }, [url, savedAt, tell])

  const toPage = useCallback((message: object) => tell(following.current, message), [tell])
  const sendValues = useSentValues(session, toPage)
  useMessages(
    origin,
    useCallback(
      (message, page) => {
        if (message['quire'] === 'ready') {
          following.current = page
          sendValues()
        }
        const path = message['quire'] === 'open' ? pathOf(message['field']) : null
        if (path === null) return
        onChoose()
        requestAnimationFrame(() => focusPlace(toAddress(session.form.values(), path)))
      },
      [onChoose, sendValues, session],
    ),
  )

  const greet = useCallback(
    (page: Window) => {
      following.current = null
      tell(page, { quire: 'hello' })
    },
    [tell],
  )
  const leave = useCallback(() => {
    following.current = null
  }, [])
  return { frame, greet, leave }
}

/** Sends the values after each edit. Returns a function that sends them at once. */
function useSentValues(
  { form, plan }: EntrySession,
  toPage: (message: object) => void,
): () => void {
  const send = useCallback(() => {
    const values = toSentValues(plan.attributes, form.values(), plan.reading)
    toPage({ quire: 'values', values })
  }, [form, plan, toPage])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const onChange = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        send()
      }, SEND_DELAY_MS)
    }
    const stops = Object.keys(plan.attributes).map((name) => form.subscribe(name, onChange))
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [form, plan, send])
  return send
}

type OnMessage = (message: Readonly<Record<string, unknown>>, page: Window) => void

/** Messages of pages in the frames of this window, from one origin. */
function useMessages(origin: string | null, onMessage: OnMessage): void {
  useEffect(() => {
    const listener = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
      const page = [...document.querySelectorAll('iframe')]
        .map(({ contentWindow }) => contentWindow)
        .find((one) => one !== null && one === source)
      if (page === undefined || page === null || from !== origin) return
      if (typeof data === 'object' && data !== null) onMessage(data as never, page)
    }
    window.addEventListener('message', listener)
    return () => window.removeEventListener('message', listener)
  }, [origin, onMessage])
}

/** A path such as `sections.0.title`; null for anything else. */
function pathOf(field: unknown): readonly string[] | null {
  if (typeof field !== 'string' || field.length > MAX_PLACE_LENGTH) return null
  return /^\w+(\.\w+)*$/.test(field) ? field.split('.') : null
}
