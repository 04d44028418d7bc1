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

/** The entry was written, or its comments and its review. */
export interface EntryChange {
  readonly kind: 'entry' | 'discussion'
  /** Null for deletions, discussions and unknown changes. */
  readonly revision: string | null
  /** Of discussions: the request that changed them. Null or absent for several and unknown ones. */
  readonly requestId?: string | null
}

export interface PresenceListener {
  /** The `updatedAt` of the entry in this window. Later changes are reported when the stream begins. */
  writtenAt(): string | null
  onOthers(others: readonly Presence[]): void
  /** Only while the stream is open. */
  onChange(change: EntryChange): void
  /** When the stream begins to send events, and when it ends. */
  onLive(isLive: boolean): void
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
/** With a stream, which reports no changes of other locales. */
export const LIVE_REFRESH_MS = 60_000

const UNKNOWN_CHANGE: EntryChange = { kind: 'entry', revision: null }

/**
 * Follows the other users with the entry open, by a stream of events, or else by polling. The
 * stream also reports changes of the entry.
 */
export function openPresence(entry: ActedOn, listener: PresenceListener): PresenceLink {
  const link = new Link(entry, listener)
  link.open()
  return { report: (field) => link.report(field), close: () => link.close() }
}

class Link {
  readonly #entry: ActedOn
  readonly #listener: PresenceListener
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

  constructor(entry: ActedOn, listener: PresenceListener) {
    this.#entry = entry
    this.#listener = listener
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
    const updatedAt = this.#listener.writtenAt()
    const query = new URLSearchParams({
      uid,
      documentId,
      ...(locale !== null && { locale }),
      ...(updatedAt !== null && { updatedAt }),
    })
    const source = new EventSource(`/admin/presence?${query.toString()}`)
    this.#source = source
    source.addEventListener('message', ({ data }: MessageEvent<string>) =>
      this.#see(JSON.parse(data) as SeenPresence),
    )
    source.addEventListener('change', ({ data }: MessageEvent<string>) =>
      this.#listener.onChange(JSON.parse(data) as EntryChange),
    )
    source.addEventListener('end', ({ data }: MessageEvent<string>) => {
      const { reason } = JSON.parse(data) as { readonly reason: string }
      if (reason === 'permission') this.#listener.onChange(UNKNOWN_CHANGE) // perhaps a deletion
    })
    source.addEventListener('error', () => {
      this.#forgetTab()
      if (source.readyState !== EventSource.CLOSED) return // the browser reconnects
      this.#source = null
      void this.#poll()
    })
  }

  #disconnect(): void {
    this.#source?.close()
    this.#source = null
    this.#forgetTab()
  }

  #forgetTab(): void {
    const wasLive = this.#tab !== null
    this.#tab = null
    this.#reported = null
    if (wasLive) this.#listener.onLive(false)
  }

  #see({ tab, others }: SeenPresence): void {
    const isNew = tab !== this.#tab
    this.#tab = tab
    this.#isAlone = others.length === 0
    this.#listener.onOthers(others)
    if (isNew) this.#listener.onLive(true)
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
      if (this.#tab === null) this.#listener.onOthers(others)
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
