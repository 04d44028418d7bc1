import type { ActedOn } from './entry-facts.ts'
import { request } from './request.ts'

export interface Presence {
  readonly id: string
  readonly name: string
  readonly since: string
  /** The API path of a field, such as `sections.0.title`; null outside of all fields. */
  readonly field: string | null
}

interface SeenPresence {
  /** The id of this stream, for reports of the field of this window. */
  readonly tab: string
  readonly others: readonly Presence[]
}

export interface PresenceLink {
  /** Reports the field of the user after a short pause, if others have the entry open. */
  report(field: string | null): void
  close(): void
}

const REPORT_DELAY_MS = 250
/** Without a stream. */
const POLL_INTERVAL_MS = 20_000
/** Browsers open at most six connections over HTTP/1.1, which hidden windows must not use up. */
const HIDDEN_MS = 20_000

/** Follows the other users with the entry open, by a stream of events, or else by polling. */
export function openPresence(
  entry: ActedOn,
  onOthers: (others: readonly Presence[]) => void,
): PresenceLink {
  const link = new Link(entry, onOthers)
  link.open()
  return { report: (field) => link.report(field), close: () => link.close() }
}

class Link {
  readonly #entry: ActedOn
  readonly #onOthers: (others: readonly Presence[]) => void
  readonly #abort = new AbortController()
  #source: EventSource | null = null
  /** Null until the first event of the stream. */
  #tab: string | null = null
  #isAlone = true
  #field: string | null = null
  #reported: string | null = null
  #reporting: ReturnType<typeof setTimeout> | undefined
  #hiding: ReturnType<typeof setTimeout> | undefined
  #polling: ReturnType<typeof setInterval> | undefined

  constructor(entry: ActedOn, onOthers: (others: readonly Presence[]) => void) {
    this.#entry = entry
    this.#onOthers = onOthers
  }

  open(): void {
    document.addEventListener('visibilitychange', this.#onVisibility)
    this.#polling = setInterval(() => this.#look(), POLL_INTERVAL_MS)
    this.#onVisibility()
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility)
    clearInterval(this.#polling)
    clearTimeout(this.#reporting)
    clearTimeout(this.#hiding)
    this.#abort.abort()
    this.#disconnect()
  }

  report(field: string | null): void {
    this.#field = field
    clearTimeout(this.#reporting)
    this.#reporting = setTimeout(() => void this.#send(), REPORT_DELAY_MS)
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#hiding)
    if (document.hidden) this.#hiding = setTimeout(() => this.#disconnect(), HIDDEN_MS)
    else this.#connect()
  }

  #connect(): void {
    if (this.#source !== null) return
    const { uid, documentId, locale } = this.#entry
    const query = new URLSearchParams({ uid, documentId, ...(locale !== null && { locale }) })
    const source = new EventSource(`/admin/presence?${query.toString()}`)
    this.#source = source
    source.addEventListener('message', ({ data }: MessageEvent<string>) =>
      this.#see(JSON.parse(data) as SeenPresence),
    )
    source.addEventListener('error', () => {
      this.#tab = null
      this.#reported = null
      if (source.readyState !== EventSource.CLOSED) return // the browser reconnects
      this.#source = null
      void this.#poll()
    })
  }

  #disconnect(): void {
    this.#source?.close()
    this.#source = null
    this.#tab = null
    this.#reported = null
  }

  #see({ tab, others }: SeenPresence): void {
    this.#tab = tab
    this.#isAlone = others.length === 0
    this.#onOthers(others)
    void this.#send()
  }

  async #send(): Promise<void> {
    if (this.#tab === null || this.#isAlone || this.#field === this.#reported) return
    this.#reported = this.#field
    await this.#note(this.#tab).catch(() => {
      this.#reported = null // sent again with the next event or report
    })
  }

  /** Connects again, or polls while the open stream sends no events, as behind some proxies. */
  #look(): void {
    if (document.hidden) return
    if (this.#source === null) this.#connect()
    else if (this.#tab === null) void this.#poll()
  }

  async #poll(): Promise<void> {
    if (document.hidden) return
    try {
      const others = await this.#note(null)
      if (this.#tab === null) this.#onOthers(others)
    } catch {
      // The next poll follows.
    }
  }

  async #note(tab: string | null): Promise<readonly Presence[]> {
    const { uid, documentId, locale } = this.#entry
    const body = {
      uid,
      documentId,
      field: this.#field,
      ...(locale !== null && { locale }),
      ...(tab !== null && { tab }),
    }
    const { signal } = this.#abort
    const sent = { body, signal, signsIn: false }
    return (await request<readonly Presence[]>('PUT', '/admin/presence', sent)).data
  }
}
