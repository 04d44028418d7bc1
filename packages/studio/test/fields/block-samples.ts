import * as fc from 'fast-check'
import type { BlockNode } from '../../src/entry/block-text.ts'

const TEXT = fc.record(
  {
    type: fc.constant('text'),
    text: fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a\nb', '\n', 'end\n', '\n\nx')),
    bold: fc.constant(true),
    italic: fc.constant(true),
    underline: fc.constant(true),
    strikethrough: fc.constant(true),
    code: fc.constant(true),
    color: fc.constantFrom('red', 'blue'),
  },
  { requiredKeys: ['type', 'text'] },
)

const LINK = fc
  .record(
    {
      type: fc.constant('link'),
      url: fc.constantFrom('https://example.org', '/here', 'mailto:a@example.org', ''),
      entry: fc.constant({ type: 'api::a.a', documentId: 'a'.repeat(24) }),
      rel: fc.constant('nofollow'),
      children: fc.array(TEXT, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['type', 'url', 'children'] },
  )
  .map((node) => ({ ...node, children: joined(node.children) }))

const INLINE = fc
  .array(fc.oneof(TEXT, LINK), { maxLength: 5 })
  .map((children) => (children.length === 0 ? [{ type: 'text', text: '' }] : joined(children)))

function block(type: string, keys: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) {
  const all = { type: fc.constant(type), ...keys, id: fc.constant('anchor'), children: INLINE }
  return fc
    .record(all, { requiredKeys: ['type', 'children', ...Object.keys(keys)] as never[] })
    .map((node) => node as BlockNode)
}

const LIST: fc.Arbitrary<BlockNode> = fc.letrec<{ list: BlockNode }>((tie) => ({
  list: fc
    .record(
      {
        type: fc.constant('list'),
        format: fc.constantFrom('ordered', 'unordered'),
        indentLevel: fc.nat({ max: 3 }),
        children: fc.array(
          fc.oneof({ maxDepth: 3, withCrossShrink: true }, block('list-item'), tie('list')),
          { minLength: 1, maxLength: 4 },
        ),
      },
      { requiredKeys: ['type', 'format', 'children'] },
    )
    .map((node) => node as BlockNode),
})).list

const IMAGE = fc
  .record({ type: fc.constant('image'), image: fc.dictionary(fc.string(), fc.string()) })
  .map((node) => ({ ...node, children: [{ type: 'text', text: '' }] }))

const TABLE: fc.Arbitrary<BlockNode> = fc.integer({ min: 1, max: 3 }).chain((width) => {
  const cell = fc.record({
    type: fc.constantFrom('table-cell', 'table-header-cell'),
    children: INLINE,
  })
  const row = fc.record({
    type: fc.constant('table-row'),
    children: fc.array(cell, { minLength: width, maxLength: width }),
  })
  const children = fc.array(row, { minLength: 1, maxLength: 3 })
  return fc.record({ type: fc.constant('table'), children })
})

/** Values as the editor would write them, with keys that it does not know. */
export const BLOCKS = fc.array(
  fc.oneof(
    block('paragraph'),
    block('heading', { level: fc.integer({ min: 1, max: 6 }) }),
    block('quote'),
    block('code'),
    block('code', { language: fc.constant('ts') }),
    LIST,
    IMAGE,
  ),
  { minLength: 1, maxLength: 6 },
)

/** Values of a text that takes tables. */
export const EXTENDED_BLOCKS = fc
  .tuple(fc.array(TABLE, { minLength: 1, maxLength: 2 }), BLOCKS, fc.nat(6))
  .map(([tables, blocks, at]) => [...blocks.slice(0, at), ...tables, ...blocks.slice(at)])

/** Equal neighbours as one, except links without a target. Each of them has a hidden target. */
function joined(nodes: readonly BlockNode[]): readonly BlockNode[] {
  const all: BlockNode[] = []
  for (const node of nodes) {
    const last = all.at(-1)
    const look = (one: BlockNode): string =>
      JSON.stringify(
        Object.entries(one)
          .filter(([key]) => key !== 'text' && key !== 'children')
          .toSorted(([a], [b]) => a.localeCompare(b)),
      )
    const isHidden = node.type === 'link' && node['url'] === '' && node['entry'] === undefined
    if (last === undefined || isHidden || look(last) !== look(node)) all.push(node)
    else if (node.type === 'text') {
      all[all.length - 1] = { ...last, text: `${String(last['text'])}${String(node['text'])}` }
    } else {
      const children = joined([...(last.children ?? []), ...(node.children ?? [])])
      all[all.length - 1] = { ...last, children }
    }
  }
  return all
}
