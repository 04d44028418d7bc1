import { QuireError } from '@quire/client'
import { element } from '../element.ts'
import { refusalPanel } from '../notebook/refusals.ts'
import { type Notebook, stateText } from '../notebook/store.ts'
import { client } from '../store.ts'
import { texts } from '../texts.ts'
import { user } from '../user.ts'

/** One list. Its owner invites members, and all of them add and tick off items. */
export function list(
  notebook: Notebook,
  documentId: string,
  signal: AbortSignal,
): readonly HTMLElement[] {
  const read = () => notebook.lists.get(documentId, { populate: { items: true } })
  const heading = element('h1')
  const state = element('p', { class: 'quiet' })
  const items = element('ul', { class: 'rows' })
  const adding = addForm(notebook, documentId)
  const owned = element('div', {}, inviteForm(documentId), removal(notebook, documentId))
  const refusals = refusalPanel(notebook, documentId, (resolved) => {
    location.hash = `#/notebook/lists/${resolved}`
  })
  const tickOff = (id: number): void => {
    void notebook.lists.patch(documentId, { items: { remove: [id] } })
    adding.text.focus()
  }
  const refresh = (): void => {
    const entry = read()
    refusals.refresh()
    heading.textContent = entry?.name ?? texts.gone
    state.textContent = entry === null ? '' : stateText(notebook, documentId)
    adding.form.hidden = entry === null
    owned.hidden = entry?.ownerName !== user?.username
    items.replaceChildren(...(entry?.items ?? []).map((item) => row(item, tickOff)))
  }
  refresh()
  const stop = notebook.$subscribe(refresh)
  signal.addEventListener('abort', stop)
  return [heading, state, refusals.panel, adding.form, items, owned]
}

/** An item has an id when the server has stored it. */
function row(
  { id, text }: { readonly id?: number; readonly text: string },
  tickOff: (id: number) => void,
): HTMLElement {
  const done = element(
    'button',
    {
      type: 'button',
      class: 'plain',
      'aria-label': texts.tickOff(text),
      disabled: id === undefined,
    },
    '✓',
  )
  if (id !== undefined) done.addEventListener('click', () => tickOff(id))
  return element('li', { class: 'item' }, element('span', {}, text), done)
}

function addForm(notebook: Notebook, documentId: string) {
  const text = element('input', { required: true, maxlength: 200 })
  const form = element(
    'form',
    { class: 'line' },
    element('label', {}, texts.item, text),
    element('button', {}, texts.addItem),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void notebook.lists.patch(documentId, { items: { append: [{ text: text.value }] } })
    text.value = ''
  })
  return { form, text }
}

/** An invitation needs a network, because the server looks up the member. */
function inviteForm(documentId: string): HTMLElement {
  const code = element('input', { required: true, maxlength: 40, autocomplete: 'off' })
  const told = element('p', { role: 'status' })
  const form = element(
    'form',
    {},
    element('h2', {}, texts.invite),
    element('label', {}, texts.invitationCode, code),
    told,
    element('button', {}, texts.inviteMember),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const data = { members: { connect: [code.value.trim()] } }
    const sent = client.$send({ method: 'PUT', path: `lists/${documentId}`, body: { data } })
    void sent.then(
      () => {
        code.value = ''
        told.textContent = texts.invited
      },
      (error: unknown) => {
        const isRefused = error instanceof QuireError
        told.textContent = isRefused ? texts.refusedBecause(error.message) : texts.needsNetwork
      },
    )
  })
  return form
}

function removal(notebook: Notebook, documentId: string): HTMLElement {
  const button = element('button', { type: 'button', class: 'plain' }, texts.deleteList)
  button.addEventListener('click', () => {
    if (!confirm(texts.sureToDelete)) return
    void notebook.lists.delete(documentId).then(() => {
      location.hash = '#/notebook'
    })
  })
  return button
}
