import { isDeepStrictEqual } from 'node:util'
import type { Status } from '../../../../src/query/query.ts'

export interface Family {
  readonly draftAndPublish: boolean
  readonly localized: boolean
  readonly single: boolean
}

/** A component. The draft and published versions of the same mark share an `id`. */
export interface Part {
  readonly text: string
  readonly mark: symbol
}

export interface Values {
  /** Required and localized, as are the two lists and the component. */
  readonly title: string | null
  /** Unique within a locale. */
  readonly slug: string | null
  readonly tags: readonly string[]
  readonly part: Part | null
  /** Shared by all locales. A published rank is at least 0. */
  readonly rank: number | null
  /** Shared by all locales and unique within each. */
  readonly code: string | null
}

export interface ModelVersion {
  readonly document: number
  readonly locale: string
  readonly status: Status
  readonly values: Values
  /** Identifies the version for its whole life: `id` and `createdAt` belong to this object. */
  readonly identity: object
  /** Identifies one publication: `publishedAt` belongs to this object. */
  readonly publication: object | null
}

export interface Place {
  readonly document: number
  readonly locale: string
}

/** One locale, several locales or all locales of the document. */
export type Selection = readonly string[] | '*'

export type Action = 'publish' | 'unpublish' | 'discard'

/** The status of a refused operation. It has no effect. */
export class Refusal extends Error {
  readonly status: 400 | 404

  constructor(status: 400 | 404) {
    super(`refused with ${status}`)
    this.status = status
  }
}

export const LOCALES = ['en', 'fr', 'de'] as const
const UNSET: Values = { title: null, slug: null, tags: [], part: null, rank: null, code: null }
const SHARED = ['rank', 'code'] as const

/** A model of the rules of versions (PRODUCT 4, 10.5 and 10.8; contract 10 to 12; ADR 0014), without optimization. */
export class VersionModel {
  readonly family: Family
  #versions: readonly ModelVersion[] = []

  constructor(family: Family) {
    this.family = family
  }

  get versions(): readonly ModelVersion[] {
    return this.#versions
  }

  copy(): VersionModel {
    const copy = new VersionModel(this.family)
    copy.#versions = this.#versions
    return copy
  }

  exists(document: number): boolean {
    return this.#versions.some((version) => version.document === document)
  }

  /** Returns the requested version. Creates a missing document if `creating` is set. */
  write(
    { document, locale: asked }: Place,
    askedStatus: Status,
    payload: Partial<Values>,
    { creating }: { readonly creating: boolean },
  ): ModelVersion {
    return this.#whole(() => {
      const { draftAndPublish, localized, single } = this.family
      // Validation errors are reported before a missing document.
      if (!draftAndPublish && isWrong(payload)) throw new Refusal(400)
      if (!creating && !single && !this.exists(document)) throw new Refusal(404)
      const locale = localized ? asked : ''
      const first = draftAndPublish ? 'draft' : 'published'
      this.#writeFirst(document, locale, first, payload)
      return draftAndPublish && askedStatus === 'published'
        ? this.#publish(document, locale)
        : this.#get(document, locale, first)
    })
  }

  act(action: Action, document: number, selection: Selection): readonly ModelVersion[] {
    return this.#whole(() => {
      const asked = this.family.localized ? (selection === '*' ? LOCALES : selection) : ['']
      const there = this.#having(document, asked, 'draft')
      if (isTooFew(there, asked, selection)) throw new Refusal(404)
      switch (action) {
        case 'publish': {
          const changed = there.filter((locale) => !this.#isPublished(document, locale))
          for (const locale of changed) this.#publish(document, locale)
          return there.map((locale) => this.#get(document, locale, 'published'))
        }
        case 'unpublish':
          return there.map((locale) => this.#unpublish(document, locale))
        case 'discard': {
          const published = this.#having(document, there, 'published')
          if (isTooFew(published, there, selection)) throw new Refusal(400)
          return published.map((locale) => this.#discard(document, locale))
        }
      }
    })
  }

  delete(document: number, locale: string): void {
    const isAll = locale === '*' || !this.family.localized
    this.#versions = this.#versions.filter(
      (version) => version.document !== document || (!isAll && version.locale !== locale),
    )
  }

  #whole<T>(work: () => T): T {
    const before = this.#versions
    try {
      return work()
    } catch (error) {
      this.#versions = before
      throw error
    }
  }

  /** Writes the draft, or the only version without drafts. A new locale starts with the shared values. */
  #writeFirst(document: number, locale: string, status: Status, payload: Partial<Values>): void {
    const present = this.#find(document, locale, status)
    const sibling = this.#versions.find(
      (version) => version.document === document && version.status === status,
    )
    const begun = { ...UNSET, ...sharedOf(sibling?.values ?? {}) }
    const values = { ...(present?.values ?? begun), ...payload }
    this.#put(document, locale, status, values)
    this.#share(document, locale, status, values)
  }

  #having(document: number, locales: readonly string[], status: Status): readonly string[] {
    return locales.filter((locale) => this.#find(document, locale, status) !== undefined)
  }

  #isPublished(document: number, locale: string): boolean {
    const published = this.#find(document, locale, 'published')
    const draft = this.#find(document, locale, 'draft')
    return published !== undefined && isDeepStrictEqual(published.values, draft?.values)
  }

  /** Publishes the whole draft and copies shared values to the other published locales. */
  #publish(document: number, locale: string): ModelVersion {
    const { values } = this.#get(document, locale, 'draft')
    this.#put(document, locale, 'published', values)
    this.#share(document, locale, 'published', values)
    return this.#get(document, locale, 'published')
  }

  #unpublish(document: number, locale: string): ModelVersion {
    const published = this.#find(document, locale, 'published')
    this.#versions = this.#versions.filter((version) => version !== published)
    return this.#get(document, locale, 'draft')
  }

  #discard(document: number, locale: string): ModelVersion {
    const { values } = this.#get(document, locale, 'published')
    this.#put(document, locale, 'draft', values)
    this.#share(document, locale, 'draft', values)
    return this.#get(document, locale, 'draft')
  }

  #find(document: number, locale: string, status: Status): ModelVersion | undefined {
    return this.#versions.find(
      (version) =>
        version.document === document && version.locale === locale && version.status === status,
    )
  }

  #get(document: number, locale: string, status: Status): ModelVersion {
    const found = this.#find(document, locale, status)
    if (found === undefined) throw new Error(`the model has no ${status} version`)
    return found
  }

  #put(document: number, locale: string, status: Status, values: Values): void {
    const present = this.#find(document, locale, status)
    this.#store({
      document,
      locale,
      status,
      values,
      identity: present?.identity ?? {},
      publication: status === 'published' ? {} : null,
    })
  }

  #share(document: number, locale: string, status: Status, values: Partial<Values>): void {
    for (const other of this.#versions) {
      if (other.document !== document || other.locale === locale || other.status !== status)
        continue
      this.#store({ ...other, values: { ...other.values, ...sharedOf(values) } })
    }
  }

  #store(version: ModelVersion): void {
    const { document, locale, status, values } = version
    if (status === 'published') this.#assertPublishable(version)
    const rest = this.#versions.filter((each) => each !== this.#find(document, locale, status))
    this.#versions = [...rest, { ...version, values: { ...values } }]
  }

  #assertPublishable({ document, locale, values }: ModelVersion): void {
    if (isWrong(values)) throw new Refusal(400)
    const others = this.#versions.filter(
      (other) =>
        other.document !== document && other.locale === locale && other.status === 'published',
    )
    const isTaken = (name: 'slug' | 'code'): boolean =>
      values[name] !== null && others.some((other) => other.values[name] === values[name])
    if (isTaken('slug') || isTaken('code')) throw new Refusal(400)
  }
}

/** Every named locale must exist. For all locales at least one must exist. */
function isTooFew(
  there: readonly unknown[],
  asked: readonly unknown[],
  selection: Selection,
): boolean {
  return there.length === 0 || (selection !== '*' && there.length < asked.length)
}

/** A published version needs a title and a rank of at least 0. */
function isWrong({ title, rank }: Partial<Values>): boolean {
  return title === null || (rank ?? 0) < 0
}

/** Returns the values that all locales share. */
function sharedOf(values: Partial<Values>): Partial<Values> {
  const given = SHARED.filter((name) => values[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, values[name]]))
}
