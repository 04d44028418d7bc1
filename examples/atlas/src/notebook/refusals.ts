import type { ChangeConflict } from '@quire/client/sync'
import { element } from '../element.ts'
import { texts } from '../texts.ts'
import type { Notebook } from './store.ts'

/** Follows an earlier refusal. */
const CONSEQUENCE = 'push_dependency'
/** Under rules, a deleted entry and a hidden one are the same. */
const MISSING: ReadonlySet<string> = new Set(['document_deleted', 'not_found'])

/** The changes of an entry that the server did not apply, in order. */
function refusalsOf(notebook: Notebook, documentId: string): readonly ChangeConflict[] {
  return notebook.$conflicts.filter((one) => one.documentId === documentId)
}

function reasonOf(notebook: Notebook, changes: readonly ChangeConflict[]): string {
  const first = changes.find(({ code }) => code !== CONSEQUENCE) ?? changes[0]
  if (first === undefined) return ''
  if (first.outcome === 'unknown') return texts.unknownOutcome
  if (first.code === 'attribute_conflict') return texts.bothChanged
  if (MISSING.has(first.code)) return texts.goneElsewhere
  const [file] = refusedFiles(notebook, changes)
  const error = file?.error ?? first.error
  return texts.refusedBecause(error?.message ?? first.code)
}

function refusedFiles({ $files }: Notebook, changes: readonly ChangeConflict[]) {
  const named = new Set(changes.map(({ mine }) => mine['picture']))
  return $files.pending.filter(({ documentId, error }) => error !== null && named.has(documentId))
}

/** Sends the changes again, on top of the entry as it is now. Returns its documentId. */
async function retry(
  notebook: Notebook,
  changes: readonly ChangeConflict[],
): Promise<string | undefined> {
  for (const { documentId } of refusedFiles(notebook, changes)) {
    await notebook.$files.retry(documentId)
  }
  const values = joined(changes.map(({ mine }) => mine))
  const [first, ...others] = changes
  if (first === undefined) return undefined
  if (first.op === 'create') {
    const documentId = await notebook.$retry(first.n, values)
    for (const { n } of others) await notebook.$discard(n)
    return documentId
  }
  if (first.type === 'notes' && changes.some(({ code }) => MISSING.has(code))) {
    const documentId = await notebook.notes.create(values)
    await discard(notebook, changes)
    return documentId
  }
  for (const { n } of changes) await notebook.$retry(n)
  return first.documentId
}

async function discard(notebook: Notebook, changes: readonly ChangeConflict[]): Promise<void> {
  for (const { documentId } of refusedFiles(notebook, changes)) {
    await notebook.$files.discard(documentId)
  }
  for (const { n } of changes) await notebook.$discard(n)
}

export interface RefusalPanel {
  readonly panel: HTMLElement
  readonly refresh: () => void
}

/** The reason of a refusal, both values, and the choice of the user. */
export function refusalPanel(
  notebook: Notebook,
  documentId: string,
  onResolved: (documentId: string | undefined) => void,
): RefusalPanel {
  const panel = element('section', { class: 'refusal', role: 'alert' })
  let shown = ''
  const refresh = (): void => {
    const changes = refusalsOf(notebook, documentId)
    const numbers = changes.map(({ n }) => n).join()
    if (numbers === shown) return
    shown = numbers
    panel.replaceChildren(...(changes.length > 0 ? choice(changes) : []))
  }
  const choice = (changes: readonly ChangeConflict[]): readonly Node[] => {
    const isClash = changes.some(({ theirs }) => theirs !== null)
    const button = (text: string, work: () => Promise<string | undefined>): HTMLElement => {
      const made = element('button', { type: 'button' }, text)
      made.addEventListener('click', () => void work().then(onResolved))
      return made
    }
    return [
      element('h2', {}, texts.notAccepted),
      element('p', {}, reasonOf(notebook, changes)),
      ...valuesOf(changes),
      button(isClash ? texts.useMine : texts.tryAgain, () => retry(notebook, changes)),
      button(isClash ? texts.useTheirs : texts.discard, async () => {
        await discard(notebook, changes)
        return documentId
      }),
    ]
  }
  return { panel, refresh }
}

type Values = Readonly<Record<string, unknown>>

/** Later values replace earlier ones. */
function joined(all: readonly Values[]): Values {
  return all.reduce((before, values) => ({ ...before, ...values }), {})
}

/** The texts of both sides. */
function valuesOf(changes: readonly ChangeConflict[]): readonly HTMLElement[] {
  const mine = joined(changes.map((one) => one.mine))
  const theirs = joined(changes.map((one) => one.theirs ?? {}))
  return ['name', 'title', 'text'].flatMap((name) => {
    const [own, other] = [mine[name], theirs[name]]
    if (typeof own !== 'string') return []
    return [
      element('p', {}, element('strong', {}, `${texts.mine} `), own),
      ...(typeof other === 'string'
        ? [element('p', {}, element('strong', {}, `${texts.theirs} `), other)]
        : []),
    ]
  })
}
