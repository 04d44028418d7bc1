import { type JsonSchema, arraySchema, TEXT } from './json-schema.ts'
import type { Vocabulary } from './vocabulary.ts'

export function blocksSchema(vocabulary: Vocabulary): JsonSchema {
  return vocabulary.refer('Blocks', () => arraySchema(blockSchema(vocabulary)))
}

function blockSchema({ refer }: Vocabulary): JsonSchema {
  const text = refer('BlockText', () => node('text', { text: TEXT, ...MARKS }, ['text']))
  const link = refer('BlockLink', () =>
    node('link', { url: TEXT, entry: LINKED_ENTRY, children: arraySchema(text) }, [
      'url',
      'children',
    ]),
  )
  const inline = oneOfTypes({ text, link })
  const item = refer('BlockListItem', () => holding('list-item', inline))
  const blocks = {
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
  return refer('Block', () => oneOfTypes(blocks))
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
