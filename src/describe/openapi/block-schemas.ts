import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'
import { type JsonSchema, arraySchema, TEXT } from './json-schema.ts'
import type { Vocabulary } from './vocabulary.ts'

/** @param isExtended whether the texts can hold tables */
export function blocksSchema(vocabulary: Vocabulary, isExtended = false): JsonSchema {
  const { refer } = vocabulary
  if (!isExtended) {
    return refer('Blocks', () =>
      arraySchema(refer('Block', () => oneOfTypes(blockSchemas(vocabulary)))),
    )
  }
  return refer('ExtendedBlocks', () =>
    arraySchema(
      refer('ExtendedBlock', () =>
        oneOfTypes({ ...blockSchemas(vocabulary), table: tableSchema(vocabulary) }),
      ),
    ),
  )
}

function tableSchema(vocabulary: Vocabulary): JsonSchema {
  const { refer } = vocabulary
  const inline = inlineSchema(vocabulary)
  const cell = refer('BlockTableCell', () => closed('table-cell', inline))
  const header = refer('BlockTableHeaderCell', () => closed('table-header-cell', inline))
  const cells = oneOfTypes({ 'table-cell': cell, 'table-header-cell': header })
  const row = refer('BlockTableRow', () => closed('table-row', cells, MAX_TABLE_COLUMNS))
  return refer('BlockTable', () => ({
    ...closed('table', row, MAX_TABLE_ROWS),
    description: 'All rows have the same number of cells.',
  }))
}

function closed(type: string, child: JsonSchema, maxItems?: number): JsonSchema {
  const children = { ...arraySchema(child), minItems: 1, ...(maxItems && { maxItems }) }
  return {
    ...node(type, { children }, ['children']),
    additionalProperties: false,
  }
}

function inlineSchema({ refer }: Vocabulary): JsonSchema {
  const text = refer('BlockText', () => node('text', { text: TEXT, ...MARKS }, ['text']))
  const link = refer('BlockLink', () =>
    node('link', { url: TEXT, entry: LINKED_ENTRY, children: arraySchema(text) }, [
      'url',
      'children',
    ]),
  )
  return oneOfTypes({ text, link })
}

function blockSchemas(vocabulary: Vocabulary): Readonly<Record<string, JsonSchema>> {
  const { refer } = vocabulary
  const inline = inlineSchema(vocabulary)
  const item = refer('BlockListItem', () => holding('list-item', inline))
  return {
    paragraph: refer('BlockParagraph', () => holding('paragraph', inline)),
    heading: refer('BlockHeading', () =>
      holding('heading', inline, { level: { type: 'integer', minimum: 1, maximum: 6 } }),
    ),
    list: refer('BlockList', () =>
      holding('list', oneOfTypes({ 'list-item': item, list: refer('BlockList', () => ({})) }), {
        format: { type: 'string', enum: ['ordered', 'unordered'] },
      }),
    ),
    quote: refer('BlockQuote', () => holding('quote', inline)),
    code: refer('BlockCode', () => holding('code', inline)),
    image: refer('BlockImage', () =>
      node('image', { image: IMAGE, children: arraySchema(inline) }, ['image']),
    ),
  }
}

const LINKED_ENTRY: JsonSchema = {
  type: 'object',
  description: 'The entry to which the link leads. Its URL is filled when the link is read.',
  required: ['type', 'documentId'],
  properties: { type: TEXT, documentId: TEXT },
}

const FLAG = { type: 'boolean' } as const
const MARKS = { bold: FLAG, italic: FLAG, underline: FLAG, strikethrough: FLAG, code: FLAG }

const IMAGE: JsonSchema = {
  type: 'object',
  required: ['name', 'url', 'width', 'height', 'hash', 'ext', 'mime', 'size', 'provider'],
  properties: {
    name: TEXT,
    url: TEXT,
    width: { type: 'number' },
    height: { type: 'number' },
    size: { type: 'number' },
    alternativeText: { type: ['string', 'null'] },
    caption: { type: ['string', 'null'] },
    hash: TEXT,
    ext: TEXT,
    mime: TEXT,
    provider: TEXT,
  },
}

function holding(
  type: string,
  child: JsonSchema,
  properties: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const own = { ...properties, children: arraySchema(child) }
  return node(type, own, Object.keys(own))
}

function node(
  type: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return {
    type: 'object',
    properties: { type: { type: 'string', const: type }, ...properties },
    required: ['type', ...required],
  }
}

function oneOfTypes(schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const mapping = Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [type, schema['$ref']]),
  )
  return { oneOf: Object.values(schemas), discriminator: { propertyName: 'type', mapping } }
}
