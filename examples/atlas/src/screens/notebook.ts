import { element } from '../element.ts'
import { type Notebook, notebook, stateText } from '../notebook/store.ts'
import { texts } from '../texts.ts'
import { user } from '../user.ts'
import { list } from './list.ts'
import { note } from './note.ts'

/** The notes and lists of the user, or one of them. `signal` ends when the user leaves. */
export function notebookScreen(
  type: string | undefined,
  documentId: string | undefined,
  signal: AbortSignal,
): readonly HTMLElement[] {
  if (notebook === null) {
    return [
      element('h1', {}, texts.notebook),
      element('p', {}, texts.signInFirst),
      element('p', {}, element('a', { href: '#/account' }, texts.account)),
    ]
  }
  if (documentId === undefined) return overview(notebook, signal)
  const open = type === 'lists' ? list : note
  return open(notebook, documentId, signal)
}

function overview(own: Notebook, signal: AbortSignal): readonly HTMLElement[] {
  const notes = element('ul', { class: 'rows' })
  const lists = element('ul', { class: 'rows' })
  const draw = (): void => {
    notes.replaceChildren(...rowsOf(own, 'notes'))
    lists.replaceChildren(...rowsOf(own, 'lists'))
  }
  draw()
  const stop = own.$subscribe(draw)
  signal.addEventListener('abort', stop)
  return [
    element('h1', {}, texts.notebook),
    element('h2', {}, texts.notes),
    newNote(own),
    notes,
    element('h2', {}, texts.lists),
    newList(own),
    lists,
  ]
}

interface Shown {
  readonly documentId: string
  readonly title: string | null
  readonly about?: string | null
}

function rowsOf(own: Notebook, type: 'notes' | 'lists'): readonly HTMLElement[] {
  const entries: readonly Shown[] =
    type === 'notes'
      ? own.notes.query({ fields: ['title'], sort: 'updatedAt:desc' }).entries
      : own.lists
          .query({ fields: ['name', 'ownerName'], sort: 'name' })
          .entries.map(({ documentId, name, ownerName }) => {
            const isOwn = ownerName === user?.username
            return { documentId, title: name, about: isOwn ? null : ownerName }
          })
  const rows = [...entries, ...refusedCreations(own, type)].map(({ documentId, title, about }) =>
    element(
      'li',
      {},
      element(
        'a',
        { href: `#/notebook/${type}/${documentId}` },
        element('span', {}, title === null || title === '' ? texts.untitled : title),
        typeof about === 'string' && element('span', {}, texts.sharedBy(about)),
        element('span', { class: 'quiet' }, stateText(own, documentId)),
      ),
    ),
  )
  return rows.length > 0 ? rows : [element('li', { class: 'quiet' }, texts.nothing)]
}

/** Queries do not show them. */
function refusedCreations({ $conflicts }: Notebook, type: string): readonly Shown[] {
  return $conflicts
    .filter((change) => change.type === type && change.op === 'create')
    .map(({ documentId, mine }) => {
      const title = mine['title'] ?? mine['name']
      return { documentId, title: typeof title === 'string' ? title : null }
    })
}

function newNote(own: Notebook): HTMLElement {
  const button = element('button', { type: 'button' }, texts.newNote)
  button.addEventListener('click', () => {
    void own.notes.create({}).then((documentId) => {
      location.hash = `#/notebook/notes/${documentId}`
    })
  })
  return element('p', {}, button)
}

function newList(own: Notebook): HTMLElement {
  const name = element('input', { required: true, maxlength: 120 })
  const form = element(
    'form',
    { class: 'line' },
    element('label', {}, texts.listName, name),
    element('button', {}, texts.newList),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const data = { name: name.value, ownerName: user?.username ?? null }
    void own.lists.create(data).then((documentId) => {
      location.hash = `#/notebook/lists/${documentId}`
    })
  })
  return form
}
