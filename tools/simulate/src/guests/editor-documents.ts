import type { Random } from '../core/random.ts'
import {
  LOCALES,
  Refusal,
  VersionModel,
  type Action,
  type ModelVersion,
  type Selection,
  type Values,
} from '../models/version-model.ts'

/** A document of one editor. It has no other writers, so a model predicts each response. */
export interface EditedDocument {
  /** Contained in every version of the document. */
  readonly slug: string
  documentId: string | null
  model: VersionModel
  /** Null while the outcome of every request is known. Then one of these states is stored. */
  possible: readonly (readonly ModelVersion[])[] | null
}

export interface Step {
  readonly text: string
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** Relative to the document, or to the collection for a creation. */
  readonly path: string
  readonly data: object | null
  /** The status of the response, and the model afterwards. */
  readonly expected: number
  readonly after: VersionModel
}

const FAMILY = { draftAndPublish: true, localized: true, single: false } as const

export function newDocument(slug: string): EditedDocument {
  return { slug, documentId: null, model: new VersionModel(FAMILY), possible: null }
}

type Payload = Partial<Omit<Values, 'part'>> & { readonly part?: { readonly text: string } | null }

function payloadOf(random: Random, { slug }: EditedDocument, tags: readonly string[]): Payload {
  const members: Payload = {
    title: random.chance(0.1) ? null : random.pick(['one', 'two', 'three']),
    tags: tags.filter(() => random.chance(0.5)),
    part: random.chance(0.3) ? null : { text: random.pick(['a', 'b']) },
    rank: random.pick([0, 1, 2, -1, null]),
    code: random.chance(0.3) ? null : `${slug}-${random.between(0, 2)}`,
  }
  return Object.fromEntries(Object.entries(members).filter(() => random.chance(0.6)))
}

/** Chooses the next request of a document and predicts its outcome. */
export function chooseStep(
  random: Random,
  document: EditedDocument,
  tags: readonly string[],
): Step {
  if (document.documentId === null) return writeStep(random, document, tags, 'POST')
  const kind = random.between(0, 9)
  if (kind < 5) return writeStep(random, document, tags, 'PUT')
  if (kind < 9) return actStep(random, document)
  const locale = random.chance(0.3) ? '*' : random.pick(LOCALES)
  return predict(document, {
    text: `delete ${locale}`,
    method: 'DELETE',
    path: `?locale=${locale}`,
    data: null,
    status: 204,
    run: (model) => model.delete(0, locale),
  })
}

function writeStep(
  random: Random,
  document: EditedDocument,
  tags: readonly string[],
  method: 'POST' | 'PUT',
): Step {
  const locale = random.pick(LOCALES)
  const status = random.pick(['draft', 'published'] as const)
  const creating = method === 'POST'
  const base = payloadOf(random, document, tags)
  const payload: Payload = {
    ...base,
    ...(creating && { title: base.title ?? 'one' }),
    slug: document.slug,
  }
  const { part, ...plain } = payload
  const modelled: Partial<Values> =
    part === undefined
      ? plain
      : { ...plain, part: part === null ? null : { ...part, mark: Symbol('part') } }
  return predict(document, {
    text: `${creating ? 'create' : 'update'} ${locale} ${status} ${JSON.stringify(payload)}`,
    method,
    path: `?locale=${locale}&status=${status}`,
    data: payload,
    status: creating ? 201 : 200,
    run: (model) => model.write({ document: 0, locale }, status, modelled, { creating }),
  })
}

function actStep(random: Random, document: EditedDocument): Step {
  const action = random.pick<Action>(['publish', 'publish', 'unpublish', 'discard'])
  const locales: readonly string[] = LOCALES.filter(() => random.chance(0.5))
  const selection: Selection = locales.length === 0 ? '*' : locales
  const text = typeof selection === 'string' ? selection : selection.join(',')
  return predict(document, {
    text: `${action} ${text}`,
    method: 'POST',
    path: `/actions/${action}?locale=${text}`,
    data: null,
    status: 200,
    run: (model) => model.act(action, 0, selection),
  })
}

interface Planned extends Omit<Step, 'expected' | 'after'> {
  readonly status: number
  readonly run: (model: VersionModel) => unknown
}

function predict({ model }: EditedDocument, { status, run, ...step }: Planned): Step {
  const after = model.copy()
  try {
    run(after)
    return { ...step, expected: status, after }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...step, expected: error.status, after: model }
  }
}
