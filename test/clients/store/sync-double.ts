import { QuireError } from '@quire/client'

export interface DoubleRow {
  readonly type: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
}

/** The permissions of a client and the settings of the server. */
export interface DoubleRules {
  readonly may: ReadonlySet<string>
  readonly locales: readonly string[]
  /** The shape of the rows of each type. */
  readonly shapes: Readonly<Record<string, string>>
}

interface Progress {
  readonly after: string | null
  readonly isLost: boolean
  readonly shape: string
}

interface Token {
  readonly types: readonly string[]
  readonly asked: readonly string[]
  readonly limit: number
  readonly title: string | null
  readonly log: number
  readonly seq: number
  readonly progress: readonly Progress[]
  readonly locales: readonly string[]
}

export interface DoubleItem {
  readonly op: 'put' | 'delete' | 'reset'
  readonly type: string
  readonly [member: string]: unknown
}

export interface DoublePage {
  readonly items: readonly DoubleItem[]
  readonly next: string
  readonly more: boolean
}

/**
 * The protocol of `/api/_sync` in memory, for thousands of histories. `sync-double.test.ts`
 * compares it with the server.
 */
export class SyncDouble {
  readonly rows = new Map<string, DoubleRow>()
  readonly localized: ReadonlySet<string>
  rules: DoubleRules
  readonly #log: string[] = []
  #logId = 1
  #floor = 0

  constructor(localized: readonly string[], rules: DoubleRules) {
    this.localized = new Set(localized)
    this.rules = rules
  }

  put(row: DoubleRow): void {
    this.rows.set(keyOf(row), row)
    this.#log.push(keyOf(row))
  }

  delete(row: Omit<DoubleRow, 'title'>): void {
    if (this.rows.delete(keyOf(row))) this.#log.push(keyOf(row))
  }

  /** Like a restore of a backup. */
  restart(): void {
    this.#logId += 1
  }

  /** Retention deletes all earlier commits. */
  forget(): void {
    this.#floor = this.#log.length
  }

  /** The rows that a copy of a scope should hold. */
  visible(types: readonly string[], locales: readonly string[], title: string | null) {
    return [...this.rows.values()]
      .filter(({ type }) => types.includes(type) && this.rules.may.has(type))
      .filter((row) => this.#isIn(row, this.#present(locales), title))
      .map(keyOf)
      .sort()
  }

  /** @throws QuireError like the client */
  ask(query: Readonly<Record<string, unknown>>): DoublePage {
    const { token } = query
    return this.#page(typeof token === 'string' ? this.#read(token) : this.#begin(query))
  }

  #begin(query: Readonly<Record<string, unknown>>): Token {
    const types = String(query['types']).split(',')
    const asked = String(query['locale']).split(',')
    if (types.some((type) => !this.rules.may.has(type))) throw refused(403)
    const { article } = (query['filters'] ?? {}) as { article?: { readonly title?: string } }
    const progress = types.map((type) => this.#begun(type))
    const seq = this.#log.length
    return {
      types,
      asked,
      limit: Number(query['limit']),
      title: article?.title ?? null,
      log: this.#logId,
      seq,
      progress,
      locales: this.#present(asked),
    }
  }

  #read(text: string): Token {
    const token = JSON.parse(text) as Token
    if (token.log !== this.#logId || token.seq < this.#floor) throw refused(410)
    if (token.types.every((type) => !this.rules.may.has(type))) throw refused(403)
    return token
  }

  #page(token: Token): DoublePage {
    const items: DoubleItem[] = []
    const settled = this.#settle(token, items)
    const index = settled.progress.findIndex(({ after, isLost }) => after !== null && !isLost)
    const next = index === -1 ? this.#changes(settled, items) : this.#rowsOf(settled, index, items)
    const isReading = next.progress.some(({ after, isLost }) => after !== null && !isLost)
    return {
      items,
      next: JSON.stringify(next),
      more: isReading || next.seq < this.#log.length,
    }
  }

  #settle(token: Token, items: DoubleItem[]): Token {
    const locales = this.#present(token.asked)
    const removed = token.locales.filter((code) => !locales.includes(code))
    const isMore = locales.some((code) => !token.locales.includes(code))
    const progress = token.types.map((type, index): Progress => {
      const before = token.progress[index] ?? this.#begun(type)
      if (!this.rules.may.has(type)) {
        if (!before.isLost) items.push({ op: 'reset', type, reason: 'permission' })
        return { ...this.#begun(type), after: null, isLost: true }
      }
      if (before.isLost) return this.#begun(type)
      if (before.shape !== this.rules.shapes[type]) {
        items.push({ op: 'reset', type, reason: 'schema' })
        return this.#begun(type)
      }
      if (!this.localized.has(type)) return before
      for (const locale of removed) items.push({ op: 'reset', type, reason: 'locale', locale })
      return isMore ? this.#begun(type) : before
    })
    return { ...token, progress, locales }
  }

  #rowsOf(token: Token, index: number, items: DoubleItem[]): Token {
    const type = token.types[index] ?? ''
    let after = token.progress[index]?.after ?? ''
    const keys = [...this.rows.keys()].filter((key) => key.startsWith(`${type} `) && key > after)
    for (const key of keys.sort()) {
      if (items.length >= token.limit) break
      const row = this.rows.get(key)
      if (row !== undefined && this.#isIn(row, token.locales, token.title)) items.push(put(row))
      after = key
    }
    const isDone = after === (keys.at(-1) ?? after) && items.length < token.limit
    const progress = token.progress.map((one, at) =>
      at === index ? { ...one, after: isDone ? null : after } : one,
    )
    return { ...token, progress }
  }

  #changes(token: Token, items: DoubleItem[]): Token {
    const seen = new Set<string>()
    let { seq } = token
    for (; seq < this.#log.length; seq += 1) {
      const key = this.#log[seq] ?? ''
      if (seen.has(key) || !isHeld(token, key)) continue
      if (items.length >= token.limit) break
      seen.add(key)
      items.push(this.#nowOf(key, token))
    }
    return { ...token, seq }
  }

  #nowOf(key: string, { locales, title }: Token): DoubleItem {
    const row = this.rows.get(key)
    if (row !== undefined && this.#isIn(row, locales, title)) return put(row)
    const [type = '', documentId = '', locale = ''] = key.split(' ')
    return { op: 'delete', type, documentId, locale: locale === '' ? null : locale }
  }

  #begun(type: string): Progress {
    return { after: '', isLost: false, shape: this.rules.shapes[type] ?? '' }
  }

  #present(codes: readonly string[]): readonly string[] {
    return codes.filter((code) => this.rules.locales.includes(code))
  }

  #isIn({ type, locale, title }: DoubleRow, codes: readonly string[], asked: string | null) {
    const isSeen = locale === null || codes.includes(locale)
    return isSeen && (asked === null || type !== 'article' || title === asked)
  }
}

/** Whether a token covers a row, in any state of that row. */
function isHeld({ types, progress, locales }: Token, key: string): boolean {
  const [type = '', , locale = ''] = key.split(' ')
  const index = types.indexOf(type)
  if (index === -1 || progress[index]?.isLost === true) return false
  return locale === '' || locales.includes(locale)
}

function put(row: DoubleRow): DoubleItem {
  const { type, documentId, locale, title } = row
  return { op: 'put', type, documentId, locale, data: { id: 1, documentId, locale, title } }
}

export function keyOf({ type, documentId, locale }: Omit<DoubleRow, 'title'>): string {
  return `${type} ${documentId} ${locale ?? ''}`
}

function refused(status: number): QuireError {
  return new QuireError(new Response(null, { status }), null)
}
