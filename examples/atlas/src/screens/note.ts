import { element } from '../element.ts'
import { type Autosaved, autosave } from '../notebook/autosave.ts'
import { addPicture, keptPicture, latestPicture, removePicture } from '../notebook/pictures.ts'
import { refusalPanel } from '../notebook/refusals.ts'
import { type Notebook, stateText } from '../notebook/store.ts'
import { texts } from '../texts.ts'

/** One note, saved while the user types. */
export function note(
  notebook: Notebook,
  documentId: string,
  signal: AbortSignal,
): readonly HTMLElement[] {
  const state = element('p', { class: 'quiet' })
  const fault = element('p', { class: 'fault', role: 'alert' })
  const failed = (error: unknown): void => {
    fault.textContent = texts.notSaved(error instanceof Error ? error.message : String(error))
  }
  const saved = { notebook, documentId, signal, failed, changed: () => refresh() }
  const title = element('input', { maxlength: 120 })
  const text = element('textarea', { rows: 12, maxlength: 20_000 })
  const fields = [saveField(saved, title, 'title'), saveField(saved, text, 'text')]
  const refusals = refusalPanel(notebook, documentId, (resolved) => {
    location.hash = `#/notebook/notes/${resolved}`
  })
  const photo = pictureOf(saved)
  const editor = element(
    'form',
    { class: 'editor' },
    element('label', {}, texts.title, title),
    element('label', {}, texts.text, text),
    photo.field,
    removal(saved),
  )
  editor.addEventListener('submit', (event) => event.preventDefault())
  const refresh = (): void => {
    for (const { show } of fields) show()
    refusals.refresh()
    const isHere = notebook.notes.get(documentId) !== null
    editor.hidden = !isHere
    const isSaved = fields.every((field) => field.isSaved())
    const known = isSaved ? stateText(notebook, documentId) : texts.notSavedYet
    state.textContent = isHere ? known : texts.gone
  }
  refresh()
  const stop = notebook.$subscribe((touched) => {
    refresh()
    if (touched.has('notes')) photo.refresh()
  })
  signal.addEventListener('abort', stop)
  return [element('h1', {}, texts.note), state, fault, refusals.panel, editor]
}

interface SavedNote {
  readonly notebook: Notebook
  readonly documentId: string
  readonly signal: AbortSignal
  readonly failed: (error: unknown) => void
  readonly changed: () => void
}

/** An empty field is stored as null. */
function saveField(
  { notebook, documentId, signal, failed, changed }: SavedNote,
  field: HTMLInputElement | HTMLTextAreaElement,
  name: 'title' | 'text',
): Autosaved {
  const dataOf = (value: string) => ({ [name]: value === '' ? null : value })
  return autosave(field, {
    read: () => notebook.notes.get(documentId)?.[name] ?? '',
    save: (value, seen) => notebook.notes.update(documentId, dataOf(value), { seen: dataOf(seen) }),
    onFailed: failed,
    onChange: changed,
    signal,
  })
}

function removal({ notebook, documentId }: SavedNote): HTMLElement {
  const button = element('button', { type: 'button', class: 'plain' }, texts.deleteNote)
  button.addEventListener('click', () => {
    if (!confirm(texts.sureToDelete)) return
    void notebook.notes.delete(documentId).then(() => {
      location.hash = '#/notebook'
    })
  })
  return button
}

function pictureOf({ notebook, documentId, failed }: SavedNote) {
  const input = element('input', { type: 'file', accept: 'image/*' })
  const place = element('div')
  let shown: string | null = null
  const show = (picture: Awaited<ReturnType<typeof keptPicture>>): void => {
    const file = picture?.file ?? null
    if (file === shown) return
    shown = file
    place.replaceChildren(...(picture === null ? [] : [image(picture.bytes), remove]))
  }
  const refresh = (): void => void latestPicture(notebook, documentId).then(show, failed)
  const remove = element('button', { type: 'button', class: 'plain' }, texts.removePicture)
  remove.addEventListener('click', () => {
    void removePicture(notebook, documentId).then(() => show(null), failed)
    input.focus()
  })
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (file === undefined) return
    void addPicture(notebook, documentId, file).then(refresh, failed)
  })
  void keptPicture(documentId).then(show, failed).then(refresh)
  const field = element('div', {}, element('label', {}, texts.picture, input), place)
  return { field, refresh }
}

function image(bytes: Blob): HTMLElement {
  const src = URL.createObjectURL(bytes)
  const made = element('img', { src, alt: texts.picture, class: 'photo' })
  made.addEventListener('load', () => URL.revokeObjectURL(src))
  return made
}
