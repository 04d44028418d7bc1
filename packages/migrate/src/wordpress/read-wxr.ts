import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'
import { MigrationError } from '../migration-error.ts'

export interface WxrRecord {
  readonly kind: 'author' | 'category' | 'tag' | 'term' | 'item'
  readonly texts: ReadonlyMap<string, string>
  readonly terms: readonly WxrTerm[]
  readonly meta: readonly (readonly [key: string, value: string])[]
  readonly comments: number
}

export interface WxrTerm {
  readonly domain: string
  readonly slug: string
  readonly name: string
}

const RECORDS: ReadonlyMap<string, WxrRecord['kind']> = new Map([
  ['wp:author', 'author'],
  ['wp:category', 'category'],
  ['wp:tag', 'tag'],
  ['wp:term', 'term'],
  ['item', 'item'],
])
/** Control characters are invalid in XML 1.0, but plugins export them. */
const NO_XML = /(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu

/**
 * Keeps only one record in memory. https://codex.wordpress.org/Tools_Export_Screen
 * @throws MigrationError for an unreadable, foreign or truncated file
 */
export async function* readWxr(path: string): AsyncGenerator<WxrRecord> {
  const found: WxrRecord[] = []
  const parser = new SaxesParser()
  const reader = recordReader((record) => found.push(record))
  parser.on('opentag', ({ name, attributes }) => reader.open(name, attributes))
  parser.on('text', reader.text)
  parser.on('cdata', reader.text)
  parser.on('closetag', ({ name }) => reader.close(name))
  parser.on('error', (error) => {
    throw error
  })
  try {
    for await (const chunk of createReadStream(path, {
      encoding: 'utf8',
    }) as AsyncIterable<string>) {
      parser.write(chunk.replace(NO_XML, ''))
      yield* found.splice(0)
    }
    parser.close()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof MigrationError) throw error
    throw new MigrationError(`${path} cannot be read: ${error.message}`, { cause: error })
  }
  if (!reader.isWxr()) {
    throw new MigrationError(`${path} is no export of WordPress: it has no wp:wxr_version`)
  }
}

interface RecordReader {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly text: (text: string) => void
  readonly close: (name: string) => void
  readonly isWxr: () => boolean
}

interface OpenRecord {
  readonly kind: WxrRecord['kind']
  readonly texts: Map<string, string>
  readonly terms: WxrTerm[]
  readonly meta: [string, string][]
  comments: number
}

function recordReader(onRecord: (record: WxrRecord) => void): RecordReader {
  let isWxr = false
  let record: OpenRecord | null = null
  const path: string[] = []
  let text = ''
  let term = { domain: '', slug: '' }
  let meta = { key: '', value: '' }
  return {
    isWxr: () => isWxr,
    open: (name, attributes) => {
      if (name === 'wp:wxr_version') isWxr = true
      const kind = record === null ? RECORDS.get(name) : undefined
      if (kind !== undefined) {
        record = { kind, texts: new Map(), terms: [], meta: [], comments: 0 }
        return
      }
      if (record === null) return
      path.push(name)
      text = ''
      if (path.length > 1) return
      const { domain = '', nicename = '' } = attributes
      term = { domain, slug: nicename }
      meta = { key: '', value: '' }
    },
    text: (more) => {
      if (record !== null && path.length > 0) text += more
    },
    close: (name) => {
      if (record === null) return
      if (path.length === 0) {
        onRecord(record)
        record = null
        return
      }
      path.pop()
      if (path.length === 0) keep(record, name, { text, term, meta })
      else if (name === 'wp:meta_key') meta.key = text
      else if (name === 'wp:meta_value') meta.value = text
      text = ''
    },
  }
}

function keep(
  record: OpenRecord,
  name: string,
  {
    text,
    term,
    meta,
  }: {
    readonly text: string
    readonly term: Omit<WxrTerm, 'name'>
    readonly meta: { readonly key: string; readonly value: string }
  },
): void {
  if (name === 'category') record.terms.push({ ...term, name: text })
  else if (name === 'wp:postmeta') record.meta.push([meta.key, meta.value])
  else if (name === 'wp:comment') record.comments += 1
  else record.texts.set(name, text)
}
