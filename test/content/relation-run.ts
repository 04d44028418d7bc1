import { SYSTEM } from '../../src/mongo/connection/authorship.ts'
import { expect } from 'chai'
import type { DocumentContext } from '../../src/content/context.ts'
import { createDocument } from '../../src/content/write/create-document.ts'
import { deleteDocument } from '../../src/content/write/delete-document.ts'
import { findDocument } from '../../src/content/read/find-documents.ts'
import {
  discardDraft,
  publishDocument,
  unpublishDocument,
} from '../../src/content/write/publish-document.ts'
import { updateDocument } from '../../src/content/write/update-document.ts'
import { ApplicationError, NotFoundError, ValidationError } from '../../src/base/errors.ts'
import { openIdAllocator } from '../../src/mongo/system/id-allocator.ts'
import { versionsOf } from '../../src/mongo/versions/stored-version.ts'
import { parseEntryQuery } from '../../src/query/parse-query.ts'
import type { Status } from '../../src/query/query.ts'
import type { Schema, ContentTypePlan } from '../../src/schema/plan.ts'
import { rulesWith } from '../fixtures/rules.ts'
import type { TestDatabase } from '../support/test-database.ts'
import {
  openRelationModel,
  type RelationModel,
  type Shown,
  type ShownPart,
  type VersionName,
} from './relation-model.ts'
import { componentUid, nestingsIn, type Shape, sidesOf, uidOf } from './relation-shape.ts'
import {
  type Act,
  type Change,
  type Deletion,
  DOCUMENTS,
  NO_CHANGE,
  type PartChange,
  type Payload,
  type Step,
  STATUSES,
  type Write,
} from './relation-steps.ts'

/** A step and whether it succeeded. */
export interface Outcome {
  readonly asked: Step
  readonly isDone: boolean
}

type Entry = Readonly<Record<string, unknown>>

const ACTIONS = {
  publish: publishDocument,
  unpublish: unpublishDocument,
  discard: discardDraft,
} as const

const rules = rulesWith('en', 'fr')

/** Applies the same steps to a database and to the model. */
export class RelationRun {
  readonly #test: TestDatabase
  readonly #shape: Shape
  readonly #schema: Schema
  readonly #context: DocumentContext
  readonly model: RelationModel
  #clock = 0

  private constructor(test: TestDatabase, shape: Shape, schema: Schema) {
    this.#test = test
    this.#shape = shape
    this.#schema = schema
    this.model = openRelationModel(shape)
    this.#context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => this.#plan(uid),
      now: () => new Date((this.#clock += 1000)),
      newDocumentId: () => 'unused',
      hashPassword: (password) => Promise.resolve(password),
    }
  }

  /** Empties the collections. */
  static async open(test: TestDatabase, shape: Shape, schema: Schema): Promise<RelationRun> {
    const run = new RelationRun(test, shape, schema)
    for (const plan of schema.contentTypes.values()) {
      await versionsOf(test.database, plan).deleteMany({})
    }
    // Create documents to relate to. The last one is only a draft.
    for (const type of Object.keys(shape.types)) {
      for (let document = 0; document < DOCUMENTS; document += 1) {
        const status = document === DOCUMENTS - 1 ? 'draft' : 'published'
        const payload = NO_CHANGE
        await run.apply({ kind: 'write', type, document, locale: 'en', status, payload })
      }
    }
    return run
  }

  /** Both sides must agree on success. */
  async apply(asked: Step): Promise<void> {
    const isDone = await this.take(asked)
    expect(this.#model(asked), JSON.stringify(asked)).to.equal(isDone)
    await this.learn()
  }

  /** Returns whether the step succeeded. */
  async take(asked: Step): Promise<boolean> {
    if (asked.kind === 'write') return this.write(asked)
    if (asked.kind !== 'delete') return this.#act(asked)
    await this.#delete(asked)
    return true
  }

  #model(asked: Step): boolean {
    if (asked.kind === 'write') return this.model.write(asked)
    if (asked.kind !== 'delete') return this.model.act(asked)
    this.model.delete(asked.type, asked.document, asked.locale)
    return true
  }

  /** Returns whether the write succeeded. Only client errors count as refusals. */
  async write(asked: Write): Promise<boolean> {
    const { type, document, locale, status, payload } = asked
    const plan = this.#plan(uidOf(type))
    const key = {
      locale: plan.localized ? locale : '',
      status: plan.draftAndPublish ? status : ('published' as const),
    }
    const writer = { mayRead: () => true, locale }
    const target = { plan, documentId: documentIdOf(type, document), key, writer, origin: SYSTEM }
    const written = plan.draftAndPublish ? 'draft' : 'published'
    const stored = await this.#find(
      { type, document, locale: key.locale, status: written },
      written,
    )
    const data = this.#toData(type, payload, stored ?? {})
    const exists = this.model.exists(type, document)
    try {
      await (exists
        ? updateDocument(this.#context, target, data)
        : createDocument(this.#context, target, data))
      return true
    } catch (error) {
      if (error instanceof ValidationError) return false
      throw error
    }
  }

  /** Returns whether the action succeeded. Actions without drafts have no effect. */
  async #act({ kind, type, document, locale: asked }: Act): Promise<boolean> {
    const plan = this.#plan(uidOf(type))
    if (!plan.draftAndPublish) return true
    const locale = plan.localized ? asked : ''
    const locales = { kind: 'one', locales: [locale] } as const
    const writer = { mayRead: () => true, locale }
    try {
      const documentId = documentIdOf(type, document)
      await ACTIONS[kind](this.#context, { plan, documentId, locales, writer, origin: SYSTEM })
      return true
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ApplicationError) return false
      throw error
    }
  }

  /** Builds a client payload with the stored component ids. */
  #toData(holder: string, { relations, parts }: Payload, stored: Entry): Entry {
    const related = sidesOf(this.#shape, holder).flatMap(({ name, target }) => {
      const change = relations[name]
      return change === undefined ? [] : [[name, toRelationData(target, change)] as const]
    })
    const nested = nestingsIn(this.#shape, holder).flatMap(({ name, kind }) => {
      const sent = parts[name]
      if (sent === undefined) return []
      const known = listOf(stored[name])
      const list = sent.map((part) => this.#toPartData(part, kind === 'zone', known))
      return [[name, kind === 'single' ? (list[0] ?? null) : list] as const]
    })
    return Object.fromEntries([...related, ...nested])
  }

  #toPartData({ from, component, payload }: PartChange, isZone: boolean, known: Entries): Entry {
    const uid = componentUid(component)
    const at = from === null ? undefined : known[from]
    const source = isZone && at?.['__component'] !== uid ? undefined : at
    return {
      ...(source !== undefined && { id: source['id'] }),
      ...(isZone && { __component: uid }),
      ...this.#toData(component, payload, source ?? {}),
    }
  }

  async #delete({ type, document, locale }: Deletion): Promise<void> {
    const plan = this.#plan(uidOf(type))
    const locales = locale === 'all' ? ('all' as const) : plan.localized ? [locale] : ['']
    const documentId = documentIdOf(type, document)
    await deleteDocument(this.#context, { plan, documentId, locales, origin: SYSTEM })
  }

  /** Copies version ids to the model, because ids order relations without an explicit order. */
  async learn(): Promise<void> {
    for (const { name, id } of await this.#stored()) this.model.learnId(name, id)
  }

  async #stored(): Promise<readonly { readonly name: VersionName; readonly id: number }[]> {
    const types = Object.keys(this.#shape.types).map(async (type) => {
      const found = await versionsOf(this.#test.database, this.#plan(uidOf(type)))
        .find()
        .toArray()
      return found.map((version) => {
        const name: VersionName = {
          type,
          document: numberOf(version['documentId']),
          locale: version['locale'] as string,
          status: version['status'] as Status,
        }
        return { name, id: version['id'] as number }
      })
    })
    return (await Promise.all(types)).flat()
  }

  /** Compares every version in every locale and status with the model. */
  async compare(): Promise<void> {
    const stored = (await this.#stored()).map(({ name }) => JSON.stringify(name))
    const expected = this.model.versions().map((name) => JSON.stringify(name))
    expect(stored.toSorted(), 'versions').to.deep.equal(expected.toSorted())
    for (const version of this.model.versions()) {
      const isDrafted = this.#plan(uidOf(version.type)).draftAndPublish
      for (const reader of isDrafted ? [version.status] : STATUSES) {
        const name = `${JSON.stringify(version)} read as ${reader}`
        expect(await this.read(version, reader), name).to.deep.equal(
          this.model.show(version, reader),
        )
      }
    }
  }

  /** The database decides the order of concurrent steps. One of the given orders must explain the result. */
  async explain(
    before: ReturnType<RelationModel['copy']>,
    orders: readonly (readonly Outcome[])[],
  ): Promise<void> {
    const faults: unknown[] = []
    for (const order of orders) {
      try {
        this.model.restore(before)
        for (const { asked, isDone } of order) expect(this.#model(asked)).to.equal(isDone)
        await this.learn()
        await this.compare()
        return
      } catch (error) {
        faults.push(error)
      }
    }
    throw faults[0]
  }

  /** Populates everything of one version. Documents are shown by number. */
  async read(version: VersionName, reader: Status): Promise<Shown> {
    return this.#toShown(version.type, (await this.#find(version, reader)) ?? {})
  }

  async #find(version: VersionName, reader: Status): Promise<Entry | null> {
    const { type, document, locale, status } = version
    const plan = this.#plan(uidOf(type))
    const populate = this.#populateOf(type)
    const asked = { populate, status: reader, ...(locale !== '' && { locale }) }
    const query = parseEntryQuery(asked, plan, { ...rules, components: this.#schema.components })
    const documentId = documentIdOf(type, document)
    const key = { locale, status }
    const found = await findDocument(this.#test.database, documentId, key, query)
    return found?.entry ?? null
  }

  #populateOf(holder: string): Entry {
    const relations = sidesOf(this.#shape, holder).map(({ name }) => [name, 'true'] as const)
    const nested = nestingsIn(this.#shape, holder).map(({ name, kind, components }) => {
      const inner = components.map((each) => ({ populate: this.#populateOf(each) }))
      const on = components.map((each, index) => [componentUid(each), inner[index]] as const)
      return [name, kind === 'zone' ? { on: Object.fromEntries(on) } : inner[0]] as const
    })
    return Object.fromEntries([...relations, ...nested])
  }

  #toShown(holder: string, entry: Entry): Shown {
    const relations = sidesOf(this.#shape, holder).map(
      ({ name }) => [name, documentsIn(entry[name])] as const,
    )
    const nested = nestingsIn(this.#shape, holder).map(({ name, components }) => {
      const parts = listOf(entry[name]).map((part): ShownPart => {
        const uid = part['__component']
        const component = components.find((each) => uid === undefined || componentUid(each) === uid)
        return { component: component ?? '', values: this.#toShown(component ?? '', part) }
      })
      return [name, parts] as const
    })
    return Object.fromEntries([...relations, ...nested])
  }

  #plan(uid: string): ContentTypePlan {
    const plan = this.#schema.contentTypes.get(uid)
    if (plan === undefined) throw new Error(`${uid} was not compiled`)
    return plan
  }
}

type Entries = readonly Entry[]

/** Pads to 24 characters. The last one is the number of the document. */
function documentIdOf(type: string, document: number): string {
  return `${type.padEnd(23, '0')}${document}`
}

function numberOf(documentId: unknown): number {
  return Number(String(documentId).slice(-1))
}

function toRelationData(target: string, change: Change): unknown {
  const id = (document: number): string => documentIdOf(target, document)
  if ('set' in change) {
    const targets = change.set.map(id)
    if (change.form === 'long') return { set: targets }
    return targets.length < 2 ? (targets[0] ?? null) : targets
  }
  return {
    connect: change.connect.map(({ target, position }) => ({
      documentId: id(target),
      position: Object.fromEntries(
        Object.entries(position).map(([side, at]) => [side, at === true ? at : id(at)]),
      ),
    })),
    disconnect: change.disconnect.map(id),
  }
}

function listOf(shown: unknown): Entries {
  if (shown === null || shown === undefined) return []
  return (Array.isArray(shown) ? shown : [shown]) as Entries
}

/** Returns the numbers of the documents in a populated relation. */
function documentsIn(shown: unknown): readonly number[] {
  return listOf(shown).map((entry) => numberOf(entry['documentId']))
}
