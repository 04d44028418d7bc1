import { SaxesParser } from 'saxes'
import { escapeText, unescapeText } from './tagged-text.ts'
import {
  type FileEntry,
  type FileUnit,
  isTaggedUnit,
  MAX_FILE_ENTRIES,
  MAX_FILE_UNITS,
  MAX_UNIT_ID,
  type TranslationFile,
} from './translation-file.ts'

/** The message says where the file is wrong, without its content. */
export class XliffError extends Error {}

const MAX_DEPTH = 50
/** Marks of tools within a text. Their tags are removed. */
const TRANSPARENT: ReadonlySet<string> = new Set(['mrk'])
/** Suggestions of tools. They contain a `source` and a `target` of their own. */
const IGNORED: ReadonlySet<string> = new Set(['alt-trans', 'seg-source', 'header'])
const UNTRANSLATED: ReadonlySet<string> = new Set(['new', 'needs-translation'])

type Attributes = Readonly<Record<string, string>>

interface OpenUnit {
  readonly id: string
  source: string | null
  target: string | null
  state: string
}

interface OpenFile extends Omit<FileEntry, 'units'> {
  readonly units: FileUnit[]
}

/**
 * Files with a DOCTYPE are refused, so no entity is ever expanded.
 * @throws XliffError
 */
export function readXliff(xml: string): TranslationFile {
  const parser = new SaxesParser()
  const reader = new XliffReader((message) => new XliffError(`line ${parser.line}: ${message}`))
  parser.on('doctype', () => {
    throw new XliffError('a DOCTYPE is not allowed')
  })
  parser.on('opentag', ({ name, attributes }) => reader.open(localName(name), attributes))
  parser.on('text', (text) => reader.text(text))
  parser.on('cdata', (text) => reader.text(text))
  parser.on('closetag', ({ name }) => reader.close(localName(name)))
  parser.on('error', ({ message }) => {
    throw new XliffError(message)
  })
  parser.write(xml).close()
  return { entries: reader.entries }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

class XliffReader {
  readonly entries: OpenFile[] = []
  readonly #refuse: (message: string) => XliffError
  #depth = 0
  #units = 0
  /** The depth within an ignored element. */
  #ignored = 0
  #file: OpenFile | null = null
  #unit: OpenUnit | null = null
  #part: 'source' | 'target' | null = null

  constructor(refuse: (message: string) => XliffError) {
    this.#refuse = refuse
  }

  open(name: string, attributes: Attributes): void {
    if (this.#depth === 0 && (name !== 'xliff' || attributes['version'] !== '1.2')) {
      throw this.#refuse('the file is not XLIFF 1.2')
    }
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw this.#refuse('the elements are nested too deeply')
    if (this.#ignored > 0 || IGNORED.has(name)) this.#ignored += 1
    else if (this.#part !== null) this.#append(openingTag(name, attributes))
    else this.#openElement(name, attributes)
  }

  #openElement(name: string, attributes: Attributes): void {
    if (name === 'file') this.#openFile(attributes)
    else if (name === 'trans-unit') this.#openUnit(attributes)
    else if (name === 'source' || name === 'target') this.#openPart(name, attributes)
  }

  text(text: string): void {
    if (this.#ignored === 0) this.#append(escapeText(text))
  }

  close(name: string): void {
    this.#depth -= 1
    if (this.#ignored > 0) this.#ignored -= 1
    else if (name === this.#part) this.#part = null
    else if (this.#part !== null) this.#append(closingTag(name))
    else if (name === 'trans-unit') this.#closeUnit()
    else if (name === 'file') this.#file = null
  }

  #append(text: string): void {
    if (this.#unit === null || this.#part === null) return
    this.#unit[this.#part] = (this.#unit[this.#part] ?? '') + text
  }

  #openFile(attributes: Attributes): void {
    if (this.entries.length === MAX_FILE_ENTRIES) {
      throw this.#refuse(`a file contains at most ${MAX_FILE_ENTRIES} entries`)
    }
    const original = attributes['original'] ?? ''
    const [, uid, documentId] = /^([^/]{1,200})\/([^/]{1,100})$/.exec(original) ?? []
    if (uid === undefined || documentId === undefined) {
      throw this.#refuse('original must be a content-type and a documentId')
    }
    const from = this.#language(attributes, 'source-language')
    const to = this.#language(attributes, 'target-language')
    const revision = attributes['build-num'] ?? null
    this.#file = { uid, documentId, from, to, revision, units: [] }
    this.entries.push(this.#file)
  }

  #language(attributes: Attributes, name: string): string {
    const language = attributes[name] ?? ''
    if (language !== '' && language.length <= 100) return language
    throw this.#refuse(`${name} must be a locale`)
  }

  #openUnit({ id = '' }: Attributes): void {
    if (this.#file === null || this.#unit !== null) {
      throw this.#refuse('a trans-unit belongs into a file')
    }
    this.#units += 1
    if (this.#units > MAX_FILE_UNITS) {
      throw this.#refuse(`a file contains at most ${MAX_FILE_UNITS} units`)
    }
    if (id === '' || id.length > MAX_UNIT_ID) throw this.#refuse('a trans-unit needs an id')
    this.#unit = { id, source: null, target: null, state: '' }
  }

  #openPart(name: 'source' | 'target', { state = '' }: Attributes): void {
    if (this.#unit === null) return
    if (this.#unit[name] !== null) throw this.#refuse(`a trans-unit has one ${name}`)
    this.#part = name
    this.#unit[name] = ''
    if (name === 'target') this.#unit.state = state
  }

  #closeUnit(): void {
    if (this.#unit === null) return
    const { source } = this.#unit
    if (source === null) throw this.#refuse('a trans-unit needs a source')
    this.#file?.units.push(closedUnit(this.#unit, source))
    this.#unit = null
  }
}

/** `readTagged` refuses all tags but `g`. */
function openingTag(name: string, { id = '' }: Attributes): string {
  if (TRANSPARENT.has(name)) return ''
  return name === 'g' ? `<g id="${escapeText(id).replaceAll('"', '')}">` : `<${name}>`
}

function closingTag(name: string): string {
  return TRANSPARENT.has(name) ? '' : `</${name}>`
}

function closedUnit({ id, target, state }: OpenUnit, source: string): FileUnit {
  const isEmpty = target === null || target === ''
  const isCopied = target === source && UNTRANSLATED.has(state)
  const translation = isEmpty || isCopied ? null : target
  if (isTaggedUnit(id)) return { id, source, target: translation }
  return {
    id,
    source: unescapeText(source),
    target: translation === null ? null : unescapeText(translation),
    ...(translation?.includes('<') === true && { isTagged: true }),
  }
}
