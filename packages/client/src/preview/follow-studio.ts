/** The value of an attribute as the Studio sends it. */
export type SentValue =
  | { readonly value: unknown }
  | { readonly links: readonly SentLink[]; readonly many: boolean }
  | { readonly components: readonly SentComponent[]; readonly many: boolean }

type SentLink = Readonly<Record<string, unknown>> & { readonly documentId: string }

export interface SentComponent {
  readonly id?: number
  readonly __component?: string
  readonly values: SentValues
}

export type SentValues = Readonly<Record<string, SentValue>>

type Message =
  | { readonly quire: 'hello' }
  | { readonly quire: 'values'; readonly values: SentValues }
  | { readonly quire: 'saved'; readonly url: string }

type Data = Readonly<Record<string, unknown>>

export interface StudioPreview<Entry extends object> {
  /** The origin of the Studio, such as `https://cms.example.org`. Messages of other origins are ignored. */
  readonly studio: string
  /** Reads the draft. `address` is the address of the preview, with a valid `secret`. */
  readonly load: (address: URL) => Promise<Entry>
  /** Shows an entry: after it was loaded, and after each change in the form of the Studio. */
  readonly show: (entry: Entry) => void
  /** Gets the errors of `load`; by default, they are reported as uncaught. */
  readonly onError?: (error: unknown) => void
}

/**
 * Shows a draft, and in the preview of the Studio also the unsaved values of its form. A click on an element with
 * `data-quire-field` opens that field. Outside of the Studio, the page only loads and shows the entry.
 *
 * Returns a function that stops it.
 */
export function followStudio<Entry extends object>(preview: StudioPreview<Entry>): () => void {
  const shown = new ShownDraft(preview)
  void shown.read(new URL(location.href))
  const stop = window.parent === window ? null : listen(new URL(preview.studio).origin, shown)
  return () => {
    shown.drop()
    stop?.()
  }
}

class ShownDraft<Entry extends object> {
  readonly #preview: StudioPreview<Entry>
  #loaded: Entry | null = null
  #sent: SentValues = {}
  /** Of the latest `load`: an older one that is slower must not replace its entry. */
  #turn = 0

  constructor(preview: StudioPreview<Entry>) {
    this.#preview = preview
  }

  async read(address: URL): Promise<void> {
    this.#turn += 1
    const turn = this.#turn
    const { load, onError = reportError } = this.#preview
    try {
      const entry = await load(address)
      if (turn !== this.#turn) return
      this.#loaded = entry
      this.#show()
    } catch (error) {
      if (turn === this.#turn) onError(error)
    }
  }

  cover(values: SentValues): void {
    this.#sent = values
    this.#show()
  }

  drop(): void {
    this.#turn += 1
  }

  #show(): void {
    if (this.#loaded !== null)
      this.#preview.show(withSent(this.#loaded as Data, this.#sent) as Entry)
  }
}

function listen(studio: string, shown: Pick<ShownDraft<object>, 'read' | 'cover'>): () => void {
  const { parent } = window
  const tell = (message: object): void => parent.postMessage(message, studio)
  const onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== parent || origin !== studio) return
    const message = data as Message | null
    if (message?.quire === 'hello') tell({ quire: 'ready' })
    else if (message?.quire === 'saved') void shown.read(new URL(message.url))
    else if (message?.quire === 'values') shown.cover(message.values)
  }
  const onClick = ({ target }: MouseEvent): void => {
    const marked = target instanceof Element ? target.closest('[data-quire-field]') : null
    const field = marked?.getAttribute('data-quire-field')
    if (typeof field === 'string' && field !== '') tell({ quire: 'open', field })
  }
  document.documentElement.dataset['quirePreview'] = ''
  window.addEventListener('message', onMessage)
  document.addEventListener('click', onClick)
  tell({ quire: 'ready' })
  return () => {
    delete document.documentElement.dataset['quirePreview']
    window.removeEventListener('message', onMessage)
    document.removeEventListener('click', onClick)
  }
}

/** Replaces only members that the page has loaded, so that `fields` and `populate` of the page stay in effect. */
export function withSent(loaded: Data, sent: SentValues): Data {
  const changed = Object.entries(sent).flatMap(([name, value]) =>
    Object.hasOwn(loaded, name) ? [[name, shownValue(loaded[name], value)] as const] : [],
  )
  return Object.assign({ ...loaded }, Object.fromEntries(changed) as Data)
}

function shownValue(loaded: unknown, sent: SentValue): unknown {
  if ('value' in sent) return sent.value
  const known = listOf(loaded)
  const items =
    'links' in sent
      ? sent.links.map(
          (link) => known.find(({ documentId }) => documentId === link.documentId) ?? link,
        )
      : sent.components.map((one) => shownComponent(known, one))
  return sent.many ? items : (items[0] ?? null)
}

function shownComponent(known: readonly Data[], { values, ...own }: SentComponent): Data {
  const loaded = known.find(
    ({ id, __component }) =>
      own.id !== undefined && id === own.id && __component === own.__component,
  )
  if (loaded !== undefined) return withSent(loaded, values)
  const shown = Object.entries(values).map(([name, value]) => [name, shownValue(null, value)])
  return Object.assign({ ...own }, Object.fromEntries(shown) as Data)
}

function listOf(value: unknown): readonly Data[] {
  if (Array.isArray(value)) return value as Data[]
  return typeof value === 'object' && value !== null ? [value as Data] : []
}
