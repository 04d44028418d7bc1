import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../core/random.ts'
import { chooseStep, newDocument, type EditedDocument, type Step } from './editor-documents.ts'
import { sendRequest, type Answer } from './send-request.ts'

export interface EditorOptions {
  readonly name: string
  /** The addresses of the servers. */
  readonly urls: readonly string[]
  readonly token: string
  readonly tags: readonly string[]
  readonly random: Random
  readonly isOver: () => boolean
  readonly note: (text: string) => void
  readonly violate: (text: string) => void
  /** Filled by the editor, read by the checks. */
  readonly documents: EditedDocument[]
}

const MAX_THINKING_MS = [500, 2_000, 5_000, 5_000]
const MAX_OPEN_DOCUMENTS = 4
const CREATION_ATTEMPTS = 6

/** Edits documents of its own until the simulation says that it is over. */
export async function start(options: EditorOptions): Promise<void> {
  const { random, documents, name } = options
  const thinkingMs = random.pick(MAX_THINKING_MS)
  while (!options.isOver()) {
    await delay(random.between(1, thinkingMs))
    const open = documents.filter(({ possible }) => possible === null)
    const isNew = open.length === 0 || (open.length < MAX_OPEN_DOCUMENTS && random.chance(0.2))
    const document = isNew ? newDocument(`${name}-${documents.length}`) : random.pick(open)
    if (isNew) documents.push(document)
    await take(options, document, chooseStep(random, document, options.tags))
  }
}

async function take(options: EditorOptions, document: EditedDocument, step: Step): Promise<void> {
  const { note, violate } = options
  const before = document.model.versions
  const what = `${document.slug} ${step.text}`
  const answer = await send(options, document, step)
  note(`${what}: ${answer?.status ?? 'no response'}`)
  if (answer === null || isOpen(answer)) {
    document.possible = [before, step.after.versions]
    return
  }
  if (answer.status !== step.expected) {
    violate(`${what}: ${answer.status} instead of ${step.expected}: ${answer.text.slice(0, 300)}`)
    return
  }
  document.model = step.after
  if (answer.status === 201) document.documentId = documentIdOf(answer)
  const isGone = step.method === 'DELETE' && step.after.versions.length === 0
  if (document.documentId === null || isGone) document.possible = [step.after.versions]
}

/** The server does not say whether the request had an effect. */
function isOpen({ status }: Answer): boolean {
  return status === 503 || status === 504
}

function documentIdOf({ text }: Answer): string {
  const body = JSON.parse(text) as { readonly data: { readonly documentId: string } }
  return body.data.documentId
}

/** Null if the outcome is unknown. A creation is repeated with its key. */
async function send(
  options: EditorOptions,
  { documentId, slug }: EditedDocument,
  step: Step,
): Promise<Answer | null> {
  const { random, token } = options
  const isCreation = documentId === null
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendRequest({
      method: step.method,
      url: `${random.pick(options.urls)}/api/things${isCreation ? '' : `/${documentId}`}${step.path}`,
      headers: { authorization: `Bearer ${token}`, ...(isCreation && { 'idempotency-key': slug }) },
      ...(step.data !== null && { body: JSON.stringify({ data: step.data }) }),
    }).catch(() => null)
    const mayRepeat = answer === null || answer.status === 409 || isOpen(answer)
    if (!isCreation || !mayRepeat) return answer
    if (attempt === CREATION_ATTEMPTS) return null
    await delay(random.between(100, 1_000))
  }
}
